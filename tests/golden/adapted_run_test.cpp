// Whole runs with LoRAs, a ControlNet and an IP-Adapter on one checkpoint: how they end, what is
// refused, what reaches their networks.
#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace adapted_run_test {

using namespace lowtide;

namespace {

constexpr const char* kAdapterFile = "ip-adapter_sd15.safetensors";

Json caseOf(const std::vector<std::string>& kinds) {
    Json test = {{"name", "run"},
                 {"checkpoint", "sd15_1"},
                 {"prompt", "a photo of a cat"},
                 {"negative", "blurry"},
                 {"steps", 4},
                 {"cfg", 7.5},
                 {"width", 64},
                 {"height", 64},
                 {"sampler", "ddim"},
                 {"seed", 3}};
    const Json parts = {
        {"loras", {{{"file", "kohya"}, {"variant", 0}, {"strength", 0.7}}}},
        {"controls", {{{"variant", 0}, {"image", "lines"}, {"strength", 0.6}}}},
        {"adapters", {{{"variant", 0}, {"images", {"portrait"}}, {"strength", 0.8}}}}};
    for (const std::string& kind : kinds) {
        test[kind] = parts.at(kind);
    }
    return test;
}

/// `node` between denoise and decode.
void putBehindDenoise(Json& graph, const char* node, Json description) {
    graph["nodes"][node] = std::move(description);
    testing::relink(graph, "denoise", "latent", node, "value");
    testing::relink(graph, node, "value", "decode", "latent");
}

std::string bytesOf(const testing::ModuleRun& run, const char* name) {
    return testing::tensorsIn(run.dump).at(name).bytes;
}

/// The first issue of the report that has all parts.
bool hasIssue(const testing::ModuleRun& run, const std::vector<std::string>& parts) {
    const Json& issues = run.report.at("issues");
    return std::any_of(issues.begin(), issues.end(), [&](const Json& issue) {
        const std::string text = issue.dump();
        return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
            return text.find(part) != std::string::npos;
        });
    });
}

}  // namespace

class AdaptedRunTest : public QObject {
    Q_OBJECT

    QString goldens_;
    QTemporaryDir folder_;

    testing::ModuleRun run(const testing::AdaptedRun& made,
                           const Json& more = Json::object(),
                           const std::function<void(const Json&)>& onEvent = {}) {
        std::vector<std::string> set;
        for (const QString& setting : made.settings) {
            set.push_back(setting.toStdString());
        }
        Json options = {{"set", set},
                        {"out", folder_.path().toStdString()},
                        {"device", "fake:1GiB"},
                        {"forceExecution", true},
                        {"dump", folder_.filePath("dump.safetensors").toStdString()}};
        options.update(more);
        testing::EventLog log(onEvent);
        return testing::runModule(made.graph.dump(), options, log);
    }

    /// A copy of the IP-Adapter's folder in which a tensor's last value is another; its file.
    QString adapterWith(const QString& key, float value) {
        const QString own = folder_.filePath("adapter");
        QDir(own).removeRecursively();
        testing::copyFolder(goldens_ + "/ip/sd15_1_0", own);
        const QString path = own + "/" + kAdapterFile;
        testing::TensorFile file = testing::readTensorFile(path.toStdString());
        std::string& bytes = file.at(key.toStdString()).bytes;
        std::memcpy(bytes.data() + bytes.size() - sizeof(value), &value, sizeof(value));
        testing::writeTensorFile(path.toStdString(), file);
        return path;
    }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::combinedGoldenFolder(); }

    void oddValuesAreRefused_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"none", "leaf+stream"}) {
            QTest::addRow("pairs, %s", policy) << "ip_adapter.3.to_v_ip.weight"
                                               << "denoise" << policy;
            QTest::addRow("projection, %s", policy) << "image_proj.norm.weight"
                                                    << "ip_0" << policy;
        }
    }

    /// Where they are read, with the node, the file and the key.
    void oddValuesAreRefused() {
        QFETCH(QString, key);
        QFETCH(QString, node);
        QFETCH(QString, policy);
        testing::AdaptedRun made = testing::adaptedRun(caseOf({"adapters"}), goldens_);
        made.settings << "load_ip_0.adapter=" +
                             adapterWith(key, policy == "none" ? std::nanf("") : HUGE_VALF);
        for (const char* device : {"fake:1GiB", "cpu"}) {
            const testing::ModuleRun ended =
                run(made,
                    {{"device", device},
                     {"policies", {node.toStdString() + "=" + policy.toStdString()}}});
            QVERIFY2(ended.status == Status::Failed, ended.report.dump().c_str());
            QVERIFY2(hasIssue(ended,
                              {"\"" + node.toStdString() + "\"",
                               kAdapterFile,
                               key.toStdString(),
                               "not finite"}),
                     ended.report.at("issues").dump().c_str());
            QCOMPARE(testing::bytesOn("fake"), int64_t{0});
        }
    }

    void oddValuesOfALoraAreRefused() {
        testing::AdaptedRun made = testing::adaptedRun(caseOf({"loras"}), goldens_);
        const QString path = folder_.filePath("odd.safetensors");
        testing::TensorFile file =
            testing::readTensorFile((goldens_ + "/lora/sd15_1_0/kohya.safetensors").toStdString());
        const std::string key = std::find_if(file.begin(), file.end(), [](const auto& each) {
                                    return each.first.starts_with("lora_unet_mid_block") &&
                                           each.first.ends_with("lora_up.weight");
                                })->first;
        testing::FileTensor& up = file.at(key);
        QVERIFY(up.type == DType::F32);
        const float infinite = HUGE_VALF;
        std::memcpy(up.bytes.data(), &infinite, sizeof(infinite));
        testing::writeTensorFile(path.toStdString(), file);
        made.settings << "lora_0.file=" + path;
        const testing::ModuleRun ended = run(made);
        QVERIFY2(ended.status == Status::Failed, ended.report.dump().c_str());
        QVERIFY2(hasIssue(ended, {"\"denoise\"", "odd.safetensors", key, "not finite"}),
                 ended.report.at("issues").dump().c_str());
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    void nothingRemainsAfterAnyEnd_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("budget");
        QTest::addColumn<QString>("end");
        for (const auto& [policy, budget] : {std::pair("none", ""),
                                             std::pair("model", ""),
                                             std::pair("leaf+stream", ""),
                                             std::pair("auto", "15MiB")}) {
            for (const char* end : {"cancelled in a pass", "cancelled before the first"}) {
                QTest::addRow("%s, %s", end, policy) << policy << budget << end;
            }
        }
        QTest::newRow("cut off in a pass") << "leaf+stream"
                                           << ""
                                           << "cut off";
        QTest::newRow("cut off in a forward of a joint residency") << "auto"
                                                                   << "15MiB"
                                                                   << "cut off";
    }

    /// With layers of an IP-Adapter in the denoiser's tree, and a ControlNet that lives with it.
    void nothingRemainsAfterAnyEnd() {
        QFETCH(QString, policy);
        QFETCH(QString, budget);
        QFETCH(QString, end);
        testing::AdaptedRun made =
            testing::adaptedRun(caseOf({"loras", "controls", "adapters"}), goldens_);
        const std::string own = adapterWith("image_proj.norm.weight", 1).toStdString();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // another modification time
        made.settings << "load_ip_0.adapter=" + QString::fromStdString(own) << "denoise.steps=60";
        Json options = {{"policies", {"denoise=" + policy.toStdString()}}};
        if (!budget.isEmpty()) {
            options["memoryBudget"] = budget.toStdString();
        }
        Runner& runner = *testing::openModule().runner();
        const std::string moment =
            end == "cancelled before the first" ? "nodeStarted" : "nodeProgress";
        const testing::ModuleRun ended = run(made, options, [&](const Json& event) {
            if (event.at("event") != moment || event.at("node") != "denoise") {
                return;
            }
            if (end == "cut off") {
                std::filesystem::resize_file(own, std::filesystem::file_size(own) / 3);
            } else {
                runner.cancel(event.at("run").get<RunId>(), CancelMode::Now);
            }
        });
        QVERIFY2(ended.status == (end == "cut off" ? Status::Failed : Status::Cancelled),
                 ended.report.dump().c_str());
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    void offloadReachesWhatAdaptersMade_data() {
        const testing::Rows<QStringList, QString, QString, bool, bool> add(
            "kinds", "component", "precision", "ofBase", "reaches");
        const auto row = [&](const char* name,
                             const QStringList& kinds,
                             const char* component,
                             bool reaches = true,
                             bool ofBase = false,
                             const char* precision = "") {
            add(name, kinds, component, precision, ofBase, reaches);
        };
        row("composed", {"adapters"}, "denoiser");
        row("composed, in half", {"adapters"}, "denoiser", true, false, "quality,storage=f16");
        row("patched", {"loras"}, "denoiser");
        row("patched, in half", {"loras"}, "all", true, false, "quality,storage=f16");
        row("patched and composed", {"loras", "adapters"}, "all");
        row("the text encoder alone", {"loras", "adapters"}, "text_encoder");
        row("of the checkpoint without LoRA", {"loras", "adapters"}, "all", false, true);
    }

    /// With the model connected: its networks, whatever was added to them; those of the model that
    /// another one was made from are others.
    void offloadReachesWhatAdaptersMade() {
        QFETCH(QStringList, kinds);
        QFETCH(QString, component);
        QFETCH(QString, precision);
        QFETCH(bool, ofBase);
        QFETCH(bool, reaches);
        std::vector<std::string> names;
        for (const QString& kind : kinds) {
            names.push_back(kind.toStdString());
        }
        testing::AdaptedRun made = testing::adaptedRun(caseOf(names), goldens_);
        putBehindDenoise(made.graph,
                         "free",
                         {{"type", "control.offload"},
                          {"v", 1},
                          {"params", {{"component", component.toStdString()}, {"mode", "evict"}}}});
        testing::relink(made.graph,
                        kinds.contains("loras") && !ofBase ? "lora_0" : "load",
                        "model",
                        "free",
                        "model");
        Json options = {{"policies", {"encode=model,after=keep", "denoise=model,after=keep"}}};
        if (!precision.isEmpty()) {
            options["precisions"] = {"denoise=" + precision.toStdString(),
                                     "encode=" + precision.toStdString()};
        }
        const testing::ModuleRun ended = run(made, options);
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        int64_t given = 0;
        for (const Json& event : ended.report.at("timeline")) {
            if (event.at("what") == "offload" && event.at("node") == "free") {
                given += event.at("bytes").get<int64_t>();  // one for each network
            }
        }
        QCOMPARE(given > 0, reaches);
        const int64_t left = testing::bytesOn("fake");
        QCOMPARE(left == 0, reaches && component == "all");
        testing::openModule().runner()->release("all");
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// Outside of its share an adapter computes nothing: the calls before are those of a run
    /// without images, and behind the end the images are seen no more.
    void imagesHaveTheirRangeOfTheSteps() {
        const testing::AdaptedRun made = testing::adaptedRun(caseOf({"adapters"}), goldens_);
        const auto with = [&](const QStringList& more) {
            testing::AdaptedRun own = made;
            own.settings += more;
            testing::ModuleRun ended = run(own);
            return ended;
        };
        const testing::ModuleRun plain = run(testing::adaptedRun(caseOf({}), goldens_));
        const testing::ModuleRun always = with({});
        const testing::ModuleRun late = with({"ip_0.start=0.5"});
        const testing::ModuleRun early = with({"ip_0.end=0.5"});
        for (const testing::ModuleRun* each : {&plain, &always, &late, &early}) {
            QVERIFY2(each->status == Status::Ok, each->report.dump().c_str());
        }
        for (const char* call : {"model_out.000", "model_out.001"}) {
            QVERIFY(bytesOf(late, call) == bytesOf(plain, call));
            QVERIFY(bytesOf(early, call) == bytesOf(always, call));
            QVERIFY(bytesOf(always, call) != bytesOf(plain, call));
        }
        // The third call reads the same latents with and without them.
        QVERIFY(bytesOf(late, "model_in.002") == bytesOf(plain, "model_in.002"));
        QVERIFY(bytesOf(late, "model_out.002") != bytesOf(plain, "model_out.002"));
        QVERIFY(bytesOf(early, "model_in.002") == bytesOf(always, "model_in.002"));
        QVERIFY(bytesOf(early, "model_out.002") != bytesOf(always, "model_out.002"));
    }

    void whatNamesFilesIsKeptInMemoryAlone_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("where");
        for (const char* type : {"IMAGE_PROMPT", "CONTROL"}) {
            for (const char* where : {"memory", "disk"}) {
                QTest::addRow("%s, %s", type, where) << type << where;
            }
        }
    }

    /// Values with loaded networks in them have no form on disk: a warning states this and the fix,
    /// the run goes on. In memory they are kept as others.
    void whatNamesFilesIsKeptInMemoryAlone() {
        QFETCH(QString, type);
        QFETCH(QString, where);
        const bool isPrompt = type == "IMAGE_PROMPT";
        testing::AdaptedRun made =
            testing::adaptedRun(caseOf({isPrompt ? "adapters" : "controls"}), goldens_);
        const char* port = isPrompt ? "image_prompt" : "control";
        const char* node = isPrompt ? "ip_0" : "control_0";
        made.graph["nodes"]["keep"] = {{"type", "control.result_cache"},
                                       {"v", 1},
                                       {"params", {{"where", where.toStdString()}}}};
        testing::relink(made.graph, node, port, "keep", "value");
        testing::relink(made.graph, "keep", "value", "denoise", port);
        const Json options = {{"forceExecution", false}};
        const testing::ModuleRun first = run(made, options);
        QVERIFY2(first.status == Status::Ok, first.report.dump().c_str());
        QCOMPARE(hasIssue(first, {"\"keep\"", type.toStdString(), "Memory"}), where == "disk");
        const testing::ModuleRun second = run(made, options);
        QVERIFY2(second.status == Status::Ok, second.report.dump().c_str());
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }
};

LOWTIDE_TEST(AdaptedRunTest)

}  // namespace adapted_run_test

#include "adapted_run_test.moc"
