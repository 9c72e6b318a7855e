// Z-Image-Turbo and Z-Image under every policy: the same bytes, the peak as planned, nothing left.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace zimage_cases_test {

using namespace lowtide;

class ZImageCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<std::string, QByteArray> expected_;  ///< by checkpoint

    Json options(const std::string& checkpoint,
                 const std::string& policy,
                 const std::string& device) const {
        const std::string root = testing::zimageGoldenFolder().toStdString() + "/checkpoints/";
        Json policies = Json::array();
        for (const char* stage : {"encode", "denoise", "decode"}) {
            policies.push_back(std::string(stage) + "=" + policy);
        }
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + root + checkpoint,
                  "encode.prompt=a boat on the lake",
                  "encode.negative=fog, and nothing that is longer than the other prompt",
                  "latent.width=96",
                  "latent.height=64",
                  "latent.batch=2",
                  "denoise.steps=2",
                  "denoise.cfg=4"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", std::move(policies)}};
    }

    testing::ModuleRun run(Json options) const {
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        testing::EventLog log;
        return testing::runModule(testing::exampleText("text_to_image"), options, log);
    }

private Q_SLOTS:

    void cleanup() {
        QCOMPARE(testing::openModule().runner()->release("all"), Status::Ok);
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    void noPolicyChangesAByte_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("policy");
        for (const char* checkpoint : {"zimage_0", "zimage_1"}) {
            for (const char* policy : {"none",
                                       "model",
                                       "model+stream",
                                       "sequential",
                                       "block:1",
                                       "block:1+stream",
                                       "leaf",
                                       "leaf+stream",
                                       "auto"}) {
                QTest::addRow("%s, %s", checkpoint, policy) << checkpoint << policy;
            }
        }
    }

    /// Three times; and the peak is the one of the plan.
    void noPolicyChangesAByte() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, policy);
        constexpr double kMostOff = 0.01;
        const std::string name = checkpoint.toStdString();
        QByteArray& expected = expected_[name];
        if (expected.isEmpty()) {
            expected = run(options(name, "none", "cpu")).dump;
            QVERIFY(!expected.isEmpty());
        }
        Json wanted = options(name, policy.toStdString(), "fake:256MiB");
        wanted["repeat"] = 3;
        const testing::ModuleRun ended = run(wanted);
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == expected);
        const auto planned = ended.report.at("plan").at("devices").at(0).at("peak").get<double>();
        for (const Json& repetition : ended.report.at("repetitions")) {
            const Json& ledger = repetition.at("ledger").at("fake");
            QCOMPARE(ledger.at("total"), Json(0));
            const auto measured = ledger.at("peak").get<double>();
            QVERIFY2(measured <= planned && measured >= planned * (1 - kMostOff),
                     qPrintable(QString("%1 of %2").arg(measured).arg(planned)));
        }
    }
};

LOWTIDE_TEST(ZImageCasesTest)

}  // namespace zimage_cases_test

#include "zimage_cases_test.moc"
