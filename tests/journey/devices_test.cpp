// Devices that are not there, and what is left of them.
#include "plugin/host_api/calibrator.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <functional>
#include <map>

namespace devices_test {

using namespace lowtide;

namespace {

const std::vector<std::string> kSmall = {
    "latent.width=64", "latent.height=64", "denoise.steps=2", "denoise.sampler=euler_a"};

using Verb = std::function<Status(const std::string& graph, const Json& options, std::string&)>;

/// Each call of the API that takes options.
const std::map<QString, Verb>& verbs() {
    static const std::map<QString, Verb> kVerbs = {
        {"check",
         [](const auto& graph, const auto& options, std::string& result) {
             return testing::openModule().runner()->check(graph, options.dump(), result);
         }},
        {"plan",
         [](const auto& graph, const auto& options, std::string& result) {
             return testing::openModule().runner()->plan(graph, options.dump(), result);
         }},
        {"run",
         [](const auto& graph, const auto& options, std::string& result) {
             testing::EventLog log;
             const testing::ModuleRun ended = testing::runModule(graph, options, log);
             result = ended.report.dump();
             return ended.status;
         }},
        {"calibrate", [](const auto&, const auto& options, std::string& result) {
             auto* calibrator =
                 static_cast<Calibrator*>(testing::openModule().extension(kCalibrator));
             return calibrator->calibrate(options.dump(), result);
         }}};
    return kVerbs;
}

}  // namespace

class DevicesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const std::string graph_ = testing::exampleText("text_to_image");

    Json optionsWith(const Json& more) {
        Json options = {{"set", kSmall}, {"out", folder_.path().toStdString()}};
        options.update(more);
        return options;
    }

    testing::ModuleRun run(const Json& more) {
        testing::EventLog log;
        Json options = optionsWith(more);
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        return testing::runModule(graph_, options, log);
    }

    Json planOf(const Json& more) {
        std::string result;
        const Status status =
            testing::openModule().runner()->plan(graph_, optionsWith(more).dump(), result);
        return status == Status::Ok ? Json::parse(result).at("plan") : Json();
    }

private Q_SLOTS:

    void whatFailsLeavesTheModuleAsItWas_data() {
        QTest::addColumn<QString>("verb");
        QTest::addColumn<QString>("options");
        // 63: whatever cards this machine has.
        const std::map<const char*, const char*> wrong = {
            {"a missing device", R"({"device": "cuda:63"})"},
            {"a missing device of a node", R"({"policies": ["encode=auto@cuda:63"]})"},
            {"a missing device of a component",
             R"({"policies": ["decode.autoencoder=leaf@cuda:63"]})"},
            {"no kind of device", R"({"device": "gpu:1"})"},
            {"no budget", R"({"memoryBudget": "lots"})"},
            {"a budget beyond the device", R"({"memoryBudget": "900TiB"})"},
            {"a budget of one byte", R"({"memoryBudget": "1"})"},
            {"no policy", R"({"policies": ["encode=everything"]})"},
            {"a policy of no node", R"({"policies": ["nobody=leaf"]})"},
            {"a rehearsed device that is lost", R"({"device": "fake:1GiB,lost=1"})"}};
        for (const auto& [name, options] : wrong) {
            for (const auto& [verb, call] : verbs()) {
                if (verb == "calibrate" && !QByteArray(options).contains("device")) {
                    continue;  // it takes nothing else
                }
                QTest::addRow("%s, %s", qPrintable(verb), name) << verb << QString(options);
            }
        }
    }

    /// Whether it may fail or not is its own; the plain run goes through afterwards, with the bits
    /// that it has always.
    void whatFailsLeavesTheModuleAsItWas() {
        QFETCH(QString, verb);
        QFETCH(QString, options);
        Json wrong = Json::parse(options.toStdString());
        wrong["forceExecution"] = true;
        std::string result;
        const Status status = verbs().at(verb)(graph_, optionsWith(wrong), result);
        if (verb == "run") {
            QVERIFY2(status != Status::Ok, result.c_str());
            QVERIFY(!Json::parse(result).at("issues").empty());
        }
        for (const char* component : {"all", "nothing"}) {
            QCOMPARE(testing::openModule().runner()->release(component), Status::Ok);
        }
        QCOMPARE(testing::openModule().runner()->devices(result), Status::Ok);
        QCOMPARE(testing::openModule().runner()->memory(result), Status::Ok);
        const testing::ModuleRun plain = run(Json::object());
        QVERIFY2(plain.status == Status::Ok, plain.report.dump().c_str());
        expected_ = expected_.isEmpty() ? plain.dump : expected_;
        QVERIFY(expected_.size() > 10000 && plain.dump == expected_);
    }

    void aKeptComponentIsNoPartOfTheNextPeak_data() {
        QTest::addColumn<QString>("device");
        QTest::newRow("cpu") << "cpu";
        QTest::newRow("fake") << "fake:1GiB";
    }

    /// What an earlier run kept leaves when the next one begins, before anything is measured.
    void aKeptComponentIsNoPartOfTheNextPeak() {
        QFETCH(QString, device);
        const std::string id = device.section(':', 0, 0).toStdString();
        Json options = {{"device", device.toStdString()},
                        {"policies", {"encode=leaf", "denoise=leaf", "decode=leaf"}}};
        const auto minimum = planOf(options).at("devices").at(0).at("minimum").get<int64_t>();
        const testing::ModuleRun keeping =
            run({{"device", device.toStdString()},
                 {"policies", {"encode=none,after=keep", "denoise=none,after=keep"}}});
        QVERIFY2(keeping.status == Status::Ok, keeping.report.dump().c_str());
        options["memoryBudget"] = std::to_string(minimum);

        const testing::ModuleRun ended = run(options);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const auto peak = ended.report.at("repetitions").back().at("ledger").at(id).at("peak");
        QVERIFY2(peak.get<int64_t>() <= minimum, peak.dump().c_str());
        testing::openModule().runner()->release("all");
    }

private:
    QByteArray expected_;
};

LOWTIDE_TEST(DevicesTest)

}  // namespace devices_test

#include "devices_test.moc"
