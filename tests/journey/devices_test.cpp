// Devices that are not there, and what is left of them.
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <thread>

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
             const testing::ModuleRun ended = testing::runModule(graph, options);
             result = ended.report.dump();
             return ended.status;
         }},
        {"calibrate", [](const auto&, const auto& options, std::string& result) {
             return testing::openModule().call("calibrate", options.dump(), nullptr, result);
         }}};
    return kVerbs;
}

using Call = std::function<Status(std::string& result)>;

/// Each in vain.
const std::map<QString, Call>& otherCalls() {
    static const auto runner = [] { return testing::openModule().runner(); };
    static const auto called = [](const char* name, const char* request) -> Call {
        return [=](std::string& result) {
            return testing::openModule().call(name, request, nullptr, result);
        };
    };
    static const std::map<QString, Call> kCalls = {
        {"start the plugin again",
         [](auto& result) { return testing::openModule().start(R"({"thread": 1})", result); }},
        {"start",
         [](auto& result) {
             testing::EventLog log;
             RunId run = 0;
             return runner()->start("{", "{}", log, run, result);
         }},
        {"start of a card that is planned for",
         [](auto& result) {
             testing::EventLog log;
             RunId run = 0;
             return runner()->start(testing::exampleText("text_to_image"),
                                    R"({"as": "cuda:8.9,12GiB"})",
                                    log,
                                    run,
                                    result);
         }},
        {"cancel", [](auto&) { return runner()->cancel(1u << 30, CancelMode::Now); }},
        {"wait", [](auto& result) { return runner()->wait(1u << 30, result); }},
        {"a call that nobody has", called("nobody", "{}")},
        {"a call with a key that nobody reads", called("unload", R"({"components": "all"})")},
        {"recognise", called("recognise", R"({"path": "/nowhere/at/all"})")},
        {"recognise a path that is not UTF-8",
         called("recognise", "{\"path\": \"/nowhere/at\xff\"}")},
        {"choices", called("conversionChoices", R"({"checkpoint": 3})")},
        {"convert",
         called("convert",
                R"({"checkpoint": "builtin:mini", "storage": "f8",
                    "out": "/nowhere/at/all.safetensors"})")},
        {"make a curve", called("makeCurve", R"({"runs": []})")},
        {"identify", called("identify", R"({"graph": "{", "options": "{}", "node": "denoise"})")},
        {"keep a sensitivity", called("keepSensitivity", "[1]")}};
    return kCalls;
}

/// text_to_image behind so many nodes that pass its latent on.
std::string chained(int count) {
    Json graph = Json::parse(testing::exampleText("text_to_image"));
    for (Json& link : graph["links"]) {
        if (link.at("to") == Json{"denoise", "latent"}) {
            link["to"] = {"pass0", "value"};
        }
    }
    for (int i = 0; i < count; ++i) {
        const std::string node = "pass" + std::to_string(i);
        const bool isLast = i + 1 == count;
        graph["nodes"][node] = {{"type", "control.gc"}};
        graph["links"].push_back(
            {{"from", {node, "value"}},
             {"to",
              {isLast ? "denoise" : "pass" + std::to_string(i + 1), isLast ? "latent" : "value"}}});
    }
    return graph.dump();
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
        Json options = optionsWith(more);
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        return testing::runModule(graph_, options);
    }

    Json planOf(const Json& more) {
        std::string result;
        const Status status =
            testing::openModule().runner()->plan(graph_, optionsWith(more).dump(), result);
        return status == Status::Ok ? Json::parse(result).at("plan") : Json();
    }

    /// With the bits that it has always.
    void requirePlainRun() {
        const testing::ModuleRun plain = run({{"forceExecution", true}});
        QVERIFY2(plain.status == Status::Ok, plain.report.dump().c_str());
        expected_ = expected_.isEmpty() ? plain.dump : expected_;
        QVERIFY(expected_.size() > 10000 && plain.dump == expected_);
    }

private Q_SLOTS:

    void whatFailsLeavesTheModuleAsItWas_data() {
        QTest::addColumn<QString>("verb");
        QTest::addColumn<QString>("options");
        // 63: whatever GPUs this machine has.
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
        requirePlainRun();
    }

    void everyOtherCallFails_andTheNextRunGoesWell_data() {
        QTest::addColumn<QString>("call");
        for (const auto& [name, call] : otherCalls()) {
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    /// Calls that take no options of a run, and every call by name.
    void everyOtherCallFails_andTheNextRunGoesWell() {
        QFETCH(QString, call);
        std::string result;
        QVERIFY(otherCalls().at(call)(result) != Status::Ok);
        QVERIFY2(result.empty() || !Json::parse(result).at("issues").empty(), result.c_str());
        requirePlainRun();
    }

    void aCallRefusesAKeyThatItDoesNotRead_data() {
        QTest::addColumn<std::string>("call");
        const Json info = Json::parse(testing::openModule().info());
        for (const Json& each : info.at("calls")) {
            const auto name = each.get<std::string>();
            QTest::newRow(name.c_str()) << name;
        }
    }

    void aCallRefusesAKeyThatItDoesNotRead() {
        QFETCH(std::string, call);
        std::string result;
        const Status status =
            testing::openModule().call(call, R"({"nobody_reads": 1})", nullptr, result);
        QVERIFY2(status == Status::Invalid, result.c_str());
        const Json issue = Json::parse(result).at("issues").at(0);
        QCOMPARE(issue.at("code"), Json("invalid_input"));
        QVERIFY2(issue.at("message").get<std::string>().starts_with("\"nobody_reads\""),
                 result.c_str());
    }

    void aCallNamesATextThatItLacks_data() {
        QTest::addColumn<std::string>("call");
        QTest::addColumn<std::string>("request");
        QTest::addColumn<std::string>("key");
        const auto row = [](const char* call, const char* request, const char* key) {
            QTest::addRow("%s without %s", call, key)
                << std::string(call) << std::string(request) << std::string(key);
        };
        row("recognise", "{}", "path");
        row("conversionChoices", R"({"graphFolder": "/"})", "checkpoint");
        row("convert", R"({"storage": "f8", "out": "/nowhere/a.safetensors"})", "checkpoint");
        row("convert",
            R"({"checkpoint": "builtin:mini", "out": "/nowhere/a.safetensors"})",
            "storage");
        row("convert", R"({"checkpoint": "builtin:mini", "storage": "f8"})", "out");
        row("identify", R"({"node": "denoise"})", "graph");
        row("identify", R"({"graph": "{}"})", "node");
        row("sensitivities", R"({"weights": null})", "weights");
        row("keepSensitivity", R"({"setting": "a", "types": "b", "pass": "c"})", "weights");
        row("exportGraph", "{}", "graph");
        row("importGraph", "{}", "text");
        row("unload", "", "component");
        row("makeCurve", R"({"tolerance": 1, "held_out": []})", "runs");
        row("makeCurve", R"({"tolerance": 1, "runs": []})", "held_out");
        row("makeCurve", R"({"runs": [], "held_out": []})", "tolerance");
    }

    /// And does not do it for the empty text.
    void aCallNamesATextThatItLacks() {
        QFETCH(std::string, call);
        QFETCH(std::string, request);
        QFETCH(std::string, key);
        std::string result;
        const Status status = testing::openModule().call(call, request, nullptr, result);
        QVERIFY2(status == Status::Invalid, result.c_str());
        const Json issue = Json::parse(result).at("issues").at(0);
        QCOMPARE(issue.at("code"), Json("invalid_input"));
        QCOMPARE(issue.at("item"), Json(key));
    }

    /// What needs idle devices is refused during a run, which goes on.
    void callsDuringARunFail_andItGoesOn() {
        Plugin& plugin = testing::openModule();
        Runner& runner = *plugin.runner();
        std::map<std::string, Status> reported;
        testing::EventLog log([&](const Json& event) {
            if (event.at("event") != "nodeStarted" || !reported.empty()) {
                return;
            }
            std::string result;
            reported["release"] = runner.release("all");
            reported["unload"] = plugin.call("unload", R"({"component": "all"})", nullptr, result);
            reported["devices"] = runner.devices(result);
            reported["plan"] = runner.plan(graph_, "{}", result);
            reported["calibrate"] =
                plugin.call("calibrate", R"({"device": "cpu"})", nullptr, result);
        });
        const testing::ModuleRun ended =
            testing::runModule(graph_, optionsWith({{"forceExecution", true}}), log);
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QCOMPARE(reported.size(), size_t{5});
        for (const auto& [name, status] : reported) {
            QVERIFY2(status != Status::Ok, name.c_str());
        }
        requirePlainRun();
    }

    /// Nobody waits for what is asked of a graph of thousands of nodes: the next question, the end
    /// of the program.
    void aCheckOfAHugeGraphCanBeCancelled_data() { testing::addRows("verb", {"check", "plan"}); }

    void aCheckOfAHugeGraphCanBeCancelled() {
        QFETCH(QString, verb);
        const std::string graph = chained(4000);
        std::string result;
        std::atomic<bool> isDone = false;
        Status status = Status::Ok;
        std::thread asking([&] {
            status = verbs().at(verb)(graph, Json::object(), result);
            isDone = true;
        });
        Status cancelled = Status::Ok;
        while (!isDone) {
            const Status answer = testing::openModule().runner()->cancel(0, CancelMode::Now);
            cancelled = cancelled == Status::Ok ? answer : cancelled;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        asking.join();
        QCOMPARE(cancelled, Status::Ok);
        QVERIFY2(status == Status::Cancelled, result.substr(0, 400).c_str());
        QCOMPARE(Json::parse(result).at("issues").back().at("code"), "cancelled");
        QCOMPARE(verbs().at("check")(graph_, Json::object(), result), Status::Ok);
    }

    void aKeptComponentIsNoPartOfTheNextPeak_data() {
        testing::addTable<QString>({"device"}, {{"cpu", "cpu"}, {"fake", "fake:1GiB"}});
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

    /// Two rehearsed devices of one run have sizes, bytes and faults of their own.
    void twoRehearsedDevicesAreTwo() {
        const Json options = {{"device", "fake:0"},
                              {"memoryBudget", "fake:0=64MiB,fake:1=32MiB"},
                              {"policies", {"encode=model@fake:1", "decode=leaf+stream@fake:1"}}};
        const testing::ModuleRun ended = run(options);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == run(Json::object()).dump);
        const Json& ledger = ended.report.at("repetitions").back().at("ledger");
        const Json& plan = ended.report.at("plan");
        for (const auto& [id, size] :
             std::map<std::string, int64_t>{{"fake", 64}, {"fake:1", 32}}) {
            const auto peak = ledger.at(id).at("peak").get<int64_t>();
            QVERIFY(peak > 0 && peak <= size * kMiB);
            QCOMPARE(ledger.at(id).at("capacity").get<int64_t>(), size * kMiB);
            QVERIFY(ended.report.at("rehearsal").at(id).at("allocations").at("arena") > 0);
            QCOMPARE(testing::bytesOn(id), int64_t{0});
        }
        QCOMPARE(plan.at("devices").size(), size_t{3});
        QCOMPARE(plan.at("devices").at(0).at("device"), Json("fake"));
    }

    /// A GPU that is lost takes no other with it.
    void oneOfTwoIsLostAlone() {
        const Json policies = {"decode=model@fake:1,1GiB,lost=40"};
        const testing::ModuleRun ended = run({{"device", "fake:1GiB"}, {"policies", policies}});
        QVERIFY(ended.status != Status::Ok);
        QVERIFY2(ended.report.at("issues").back().at("message").get<std::string>().starts_with(
                     "the device fake:1 was lost"),
                 ended.report.at("issues").dump().c_str());
        QCOMPARE(run({{"device", "fake"}}).status, Status::Ok);
        QVERIFY(run({{"device", "fake:1"}}).status != Status::Ok);
        QCOMPARE(run({{"device", "fake:1,1GiB"}}).status, Status::Ok);
    }

    void twoSizesOfOneDeviceAreRefused() {
        const testing::ModuleRun ended =
            run({{"device", "fake:1GiB"}, {"policies", {"decode=auto@fake:100KiB"}}});
        QCOMPARE(ended.status, Status::Invalid);
        const Json& issue = ended.report.at("issues").back();
        QCOMPARE(issue.at("node"), Json("decode"));
        QVERIFY2(issue.at("message").get<std::string>().find("fake:102400") != std::string::npos,
                 issue.dump().c_str());
        QVERIFY(issue.at("hint").get<std::string>().find("fake:1,4GiB") != std::string::npos);
    }

    /// A result that one device made is not found for another.
    void keysKnowTheDevice() {
        const auto executed = [&](const std::string& device) {
            const testing::ModuleRun ended = testing::runModule(
                graph_, optionsWith({{"device", "fake"}, {"policies", {"decode=auto@" + device}}}));
            std::set<std::string> nodes;
            for (const Json& node : ended.report.at("repetitions").back().at("nodes")) {
                nodes.insert(node.at("node").get<std::string>());
            }
            return nodes;
        };
        testing::openModule().runner()->release("all");
        QVERIFY(executed("fake").contains("denoise"));
        QVERIFY((executed("fake:1") == std::set<std::string>{"decode", "save"}));
        QVERIFY(executed("fake").empty());
    }

private:
    QByteArray expected_;
};

LOWTIDE_TEST(DevicesTest)

}  // namespace devices_test

#include "devices_test.moc"
