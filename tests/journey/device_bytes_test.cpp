#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <atomic>
#include <unistd.h>

namespace device_bytes_test {

using namespace lowtide;

namespace {

std::string graphText() {
    return testing::exampleText("text_to_image");
}

Json options(const QTemporaryDir& folder,
             const std::vector<std::string>& policies,
             const std::vector<std::string>& set = {}) {
    std::vector<std::string> values = {"denoise.steps=3"};
    values.insert(values.end(), set.begin(), set.end());
    return {{"out", folder.path().toStdString()},
            {"device", "fake:256MiB"},
            {"policies", policies},
            {"set", values},
            {"forceExecution", true}};
}

/// Weights of one component on the GPU, from the module's own plan.
int64_t weightsOf(const std::string& role) {
    std::string text;
    const Json wanted = {{"device", "fake:256MiB"}};
    testing::openModule().runner()->plan(graphText(), wanted.dump(), text);
    const Json plan = Json::parse(text).at("plan");
    for (const Json& component : plan.at("components")) {
        if (component.at("role") == role) {
            return component.at("weights").get<int64_t>();
        }
    }
    return -1;
}

}  // namespace

/// After any run (finished, failed, cancelled) the GPU holds exactly what was asked to be kept.
class DeviceBytesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The first test of the process: ATen reports it only once. Results of a run on a GPU lie on
    /// the host and die during one that counts the host's tensors.
    void noTensorDiesThatWasNotCounted() {
        const QTemporaryDir folder;
        testing::EventLog log;
        QFile errors(folder.filePath("errors"));
        QVERIFY(errors.open(QIODevice::ReadWrite));
        const int standardError = ::dup(STDERR_FILENO);
        ::dup2(errors.handle(), STDERR_FILENO);
        Json wanted = options(folder, {});
        wanted["forceExecution"] = false;
        const auto onGpu = testing::runModule(graphText(), wanted, log);
        wanted["device"] = "cpu";
        const auto onHost = testing::runModule(graphText(), wanted, log);
        testing::openModule().runner()->release("all");
        ::dup2(standardError, STDERR_FILENO);
        ::close(standardError);

        QCOMPARE(onGpu.status, Status::Ok);
        QCOMPARE(onHost.status, Status::Ok);
        errors.seek(0);
        const QByteArray text = errors.readAll();
        QVERIFY2(!text.contains("unknown size"), text.constData());
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    void aFinishedRunLeavesWhatItKeeps_data() {
        testing::addTable<QString, bool>({"policy", "kept"},
                                         {{"none", "denoise=none", false},
                                          {"model", "denoise=model", false},
                                          {"dropped", "denoise=model,after=drop", false},
                                          {"none, kept", "denoise=none,after=keep", true},
                                          {"model, kept", "denoise=model,after=keep", true}});
    }

    void aFinishedRunLeavesWhatItKeeps() {
        QFETCH(QString, policy);
        QFETCH(bool, kept);
        const QTemporaryDir folder;
        const auto run = testing::runModule(graphText(), options(folder, {policy.toStdString()}));
        QVERIFY2(run.status == Status::Ok, run.report.dump().c_str());
        QCOMPARE(testing::bytesOn("fake"), kept ? weightsOf("denoiser") : int64_t{0});
    }

    /// The folder of its images goes away while it samples.
    void aFailedRunLeavesNothing() {
        const QTemporaryDir folder;
        const QString out = folder.filePath("out");
        testing::EventLog log([&out](const Json& arrived) {
            if (arrived.at("event") == "nodeStarted" && arrived.at("node") == "denoise") {
                QDir(out).removeRecursively();
                QFile file(out);
                static_cast<void>(file.open(QIODevice::WriteOnly));
            }
        });
        Json wanted = options(folder, {"denoise=none", "encode=none"});
        wanted["out"] = out.toStdString();
        const auto run = testing::runModule(graphText(), wanted, log);
        QCOMPARE(run.status, Status::Failed);
        QVERIFY2(run.report.at("issues")[0].at("node") == "save", run.report.dump().c_str());
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// Before its first node, not after its hours.
    void aRunThatCannotWriteIsRefused() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("taken"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        testing::EventLog log;
        Json wanted = options(folder, {});
        wanted["out"] = folder.filePath("taken").toStdString();
        const auto run = testing::runModule(graphText(), wanted, log);
        QCOMPARE(run.status, Status::Invalid);
        QVERIFY2(run.report.at("issues")[0].at("node") == "save", run.report.dump().c_str());
        for (const Json& event : log.events()) {
            QVERIFY2(event.at("event") != "nodeStarted", event.dump().c_str());
        }
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    void aCancelledRunLeavesNothing_data() {
        testing::addTable<QString, QString>({"node", "event"},
                                            {{"before encode", "encode", "nodeStarted"},
                                             {"in a step", "denoise", "nodeProgress"},
                                             {"in decode", "decode", "nodeStarted"}});
    }

    void aCancelledRunLeavesNothing() {
        QFETCH(QString, node);
        QFETCH(QString, event);
        const QTemporaryDir folder;
        const auto run = testing::runCancelled(
            graphText(),
            options(folder, {"denoise=model", "encode=none"}, {"denoise.steps=200"}),
            [&](const Json& arrived) { return testing::isOf(arrived, event, node); });
        QCOMPARE(run.status, Status::Cancelled);
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void aRunThatDoesNotFitIsRefusedBeforeAnythingMoves() {
        const QTemporaryDir folder;
        testing::EventLog log;
        Json wanted = options(folder, {"denoise=model", "encode=model", "decode=model"});
        wanted["device"] = "fake:4MiB";
        const auto run = testing::runModule(graphText(), wanted, log);
        QCOMPARE(run.status, Status::Invalid);
        QVERIFY2(run.report.at("issues")[0].at("node") == "denoise", run.report.dump().c_str());
        for (const Json& event : log.events()) {
            QVERIFY2(event.at("event") != "nodeStarted", "a node started");
        }
    }

    void theSecondRunExecutesOnlyWhatChanged() {
        const QTemporaryDir folder;
        testing::EventLog log;
        Json wanted = options(folder, {});
        wanted["forceExecution"] = false;
        QCOMPARE(testing::runModule(graphText(), wanted, log).status, Status::Ok);
        const auto same = testing::runModule(graphText(), wanted, log);
        QCOMPARE(same.report.at("repetitions")[0].at("executed").size(), size_t{0});
        wanted["set"] = {"denoise.steps=3", "denoise.cfg=2"};
        const auto changed = testing::runModule(graphText(), wanted, log);
        QVERIFY2(changed.report.at("repetitions")[0].at("executed") ==
                     Json({"denoise", "decode", "save"}),
                 changed.report.dump().c_str());
    }
};

LOWTIDE_TEST(DeviceBytesTest)

}  // namespace device_bytes_test

#include "device_bytes_test.moc"
