// Whole runs with ControlNets: what is refused, what step caches make of them, what reaches them.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace control_run_test {

using namespace lowtide;

namespace {

const Json& ofNode(const Json& list, const char* node) {
    return *std::find_if(
        list.begin(), list.end(), [&](const Json& entry) { return entry.at("node") == node; });
}

Json stepsOf(const Json& report) {
    return ofNode(report.at("repetitions").back().at("nodes"), "denoise").at("steps");
}

}  // namespace

class ControlRunTest : public QObject {
    Q_OBJECT

    QString goldens_;
    QTemporaryDir folder_;

    [[nodiscard]] std::string at(const QString& relative) const {
        return (goldens_ + "/" + relative).toStdString();
    }

    /// The example on small networks.
    [[nodiscard]] std::vector<std::string> small(std::vector<std::string> more = {}) const {
        std::vector<std::string> all = {
            "load.checkpoint=" + at("checkpoints/sd15_1"),
            "load_control.controlnet=" + at("controlnet/sd15_1_1"),
            "load_hint.image=" + at("images/lines.png"),
            "latent.width=64",
            "latent.height=64",
            "denoise.steps=8",
            "denoise.sampler=ddim",
        };
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    testing::ModuleRun run(const Json& graph,
                           const std::vector<std::string>& set,
                           const Json& more = Json::object(),
                           const std::function<void(const Json&)>& onEvent = {}) {
        Json options = {{"set", set},
                        {"out", folder_.path().toStdString()},
                        {"device", "fake:1GiB"},
                        {"forceExecution", true},
                        {"dump", folder_.filePath("dump.safetensors").toStdString()}};
        options.update(more);
        testing::EventLog log(onEvent);
        return testing::runModule(graph.dump(), options, log);
    }

    static Json example() { return Json::parse(testing::exampleText("controlnet")); }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::controlGoldenFolder(); }

    void badChoicesAreRefused_data() {
        const testing::Rows<QStringList, QStringList> row("settings", "expected");
        const auto path = [&](const char* relative) {
            return QString::fromStdString(at(relative));
        };
        row("another family",
            {"load_control.controlnet=" + path("controlnet/sdxl_1_0")},
            {"denoise", "control", "sdxl_1_0 does not fit sd15_1", "192 wide"});
        row("an adapter of another family",
            {"load_control.controlnet=" + path("controlnet/sdxl_1_full_adapter_xl")},
            {"denoise", "T2I-Adapter", "64, 64, 128"});
        row("a side that squares do not fill",
            {"load.checkpoint=" + path("checkpoints/sdxl_1"),
             "load_control.controlnet=" + path("controlnet/sdxl_1_full_adapter_xl"),
             "latent.width=72"},
            {"72 pixels", "multiples of 16"});
        row("an end before the start",
            {"control.start=0.8", "control.end=0.2"},
            {"control.start", "begins at 0.8"});
        row("a share above 1", {"control.end=1.5"}, {"control.end"});
        row("no mode", {"control.mode=strong"}, {"control.mode"});
        row("no file", {"load_control.controlnet=nowhere"}, {"load_control.controlnet", "nowhere"});
        row("no name", {"load_control.controlnet="}, {"load_control.controlnet"});
    }

    void badChoicesAreRefused() {
        QFETCH(QStringList, settings);
        QFETCH(QStringList, expected);
        QStringList arguments = {
            "run", testing::exampleGraph("controlnet"), "--out", folder_.path()};
        for (const std::string& setting : small()) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        const testing::CommandResult ended = testing::runInProcess(arguments);
        QVERIFY2(!ended.crashed && ended.exitCode == 2, qPrintable(ended.errors));
        for (const QString& part : expected) {
            QVERIFY2(ended.errors.contains(part), qPrintable(part + " / " + ended.errors));
        }
    }

    void aPolicyForANetThatIsNotThereIsRefused() {
        QStringList arguments = {"plan", testing::exampleGraph("controlnet")};
        for (const std::string& setting : small()) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        const testing::CommandResult ended =
            testing::runInProcess(arguments + QStringList{"--policy", "denoise.controlnet_2=leaf"});
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains("controlnet_2"), qPrintable(ended.errors));
    }

    /// It is not run, so nothing is added, not even a rounding.
    void aStrengthOfNothingIsThePlainImage() {
        Json plain = example();
        plain["links"].erase(
            std::remove_if(plain["links"].begin(),
                           plain["links"].end(),
                           [](const Json& each) {
                               return each["to"] == Json::array({"denoise", "control"});
                           }),
            plain["links"].end());
        std::vector<std::string> settings = small();
        const testing::ModuleRun without = run(plain, settings);
        const testing::ModuleRun with = run(example(), small({"control.strength=0"}));
        const testing::ModuleRun strong = run(example(), settings);
        QVERIFY2(with.status == Status::Ok, with.report.dump().c_str());
        const auto latents = [](const testing::ModuleRun& ended) {
            return testing::tensorsIn(ended.dump).at("latents.final").bytes;
        };
        QVERIFY(latents(with) == latents(without));
        QVERIFY(latents(strong) != latents(without));
    }

    /// What was cached under other hints is of no use: the first call of another range is full.
    void stepCachesStartOverWhereARangeBegins_data() {
        QTest::addColumn<QString>("example");
        QTest::newRow("DeepCache") << "text_to_image_deepcache";
        QTest::newRow("block cache") << "text_to_image_block_cache";
        QTest::newRow("step forecast") << "text_to_image_forecast";
    }

    void stepCachesStartOverWhereARangeBegins() {
        QFETCH(QString, example);
        Json graph = Json::parse(testing::exampleText(example));
        const Json controlled = ControlRunTest::example();
        for (const char* node : {"load_control", "load_hint", "control"}) {
            graph["nodes"][node] = controlled["nodes"][node];
        }
        testing::relink(graph, "load_control", "controlnet", "control", "controlnet");
        testing::relink(graph, "load_hint", "image", "control", "image");
        testing::relink(graph, "control", "control", "denoise", "control");
        const testing::ModuleRun always = run(graph, small({"denoise.steps=12"}));
        const testing::ModuleRun late =
            run(graph, small({"denoise.steps=12", "control.start=0.41", "control.end=0.8"}));
        QVERIFY2(always.status == Status::Ok, always.report.dump().c_str());
        QVERIFY2(late.status == Status::Ok, late.report.dump().c_str());
        const auto missesOf = [](const testing::ModuleRun& ended) {
            return stepsOf(ended.report)
                .value("misses", Json::object())
                .value("prompts", int64_t{0});
        };
        QCOMPARE(missesOf(always), int64_t{0});
        QVERIFY2(missesOf(late) >= 1, stepsOf(late.report).dump().c_str());
    }

    /// A node's component like any other: it leaves when asked to, and nothing is left.
    void offloadReachesIt() {
        Json graph = example();
        graph["nodes"]["free"] = {{"type", "control.offload"},
                                  {"v", 1},
                                  {"params", {{"component", "controlnet*"}, {"mode", "evict"}}}};
        testing::relink(graph, "denoise", "latent", "free", "value");
        testing::relink(graph, "free", "value", "decode", "latent");
        const testing::ModuleRun ended =
            run(graph, small(), {{"policies", {"denoise=model,after=keep"}}});
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        bool isReported = false;
        for (const Json& event : ended.report.at("timeline")) {
            isReported |= event.at("what") == "offload" && event.at("node") == "free" &&
                          event.at("bytes").get<int64_t>() > 0;
        }
        QVERIFY2(isReported, ended.report.at("controls").dump().c_str());
        testing::openModule().runner()->release("all");
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// A cancelled run and a failed one leave nothing.
    void nothingRemainsAfterAnyEnd() {
        Runner& runner = *testing::openModule().runner();
        const auto cancelAtStep = [&](const Json& event) {
            if (event.at("event") == "nodeProgress" && event.at("node") == "denoise") {
                runner.cancel(event.at("run").get<RunId>(), CancelMode::Now);
            }
        };
        const testing::ModuleRun cancelled = run(example(),
                                                 small({"denoise.steps=60"}),
                                                 {{"policies", {"denoise=leaf+stream"}}},
                                                 cancelAtStep);
        QCOMPARE(cancelled.status, Status::Cancelled);
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// The file that streams is cut off under the run: an error that names it, and nothing is left.
    void aFileThatIsCutOffInTheRunIsReported() {
        const QString own = folder_.filePath("own");
        testing::copyFolder(goldens_ + "/controlnet/sd15_1_1", own);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // another modification time
        const std::string file = (own + "/diffusion_pytorch_model.safetensors").toStdString();
        const auto cut = [&](const Json& event) {
            if (event.at("event") == "nodeStarted" && event.at("node") == "denoise") {
                std::filesystem::resize_file(file, std::filesystem::file_size(file) / 3);
            }
        };
        const testing::ModuleRun ended =
            run(example(),
                small({"denoise.steps=60",
                       "control.start=0.5",
                       "load_control.controlnet=" + own.toStdString()}),
                {{"policies", {"denoise=leaf+stream"}}},
                cut);
        QVERIFY2(ended.status == Status::Failed, ended.report.at("issues").dump().c_str());
        const std::string message = ended.report.at("issues").back().dump();
        QVERIFY2(message.find("diffusion_pytorch_model.safetensors") != message.npos &&
                     message.find("\"denoise\"") != message.npos,
                 message.c_str());
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// A prompt for a part of the image is controlled in that part; policies change nothing.
    void areaPromptsAreTheSameUnderEveryPolicy() {
        Json graph = Json::parse(testing::exampleText("several_prompts"));
        const Json controlled = example();
        for (const char* node : {"load_control", "load_hint", "control"}) {
            graph["nodes"][node] = controlled["nodes"][node];
        }
        testing::relink(graph, "load_control", "controlnet", "control", "controlnet");
        testing::relink(graph, "load_hint", "image", "control", "image");
        testing::relink(graph, "control", "control", "denoise", "control");
        const std::vector<std::string> set = small({"area.width=32", "denoise.steps=3"});
        const testing::ModuleRun whole = run(graph, set, {{"policies", {"denoise=none"}}});
        const testing::ModuleRun streamed =
            run(graph, set, {{"policies", {"denoise=leaf+stream"}}});
        QVERIFY2(whole.status == Status::Ok, whole.report.dump().c_str());
        QVERIFY2(streamed.status == Status::Ok, streamed.report.dump().c_str());
        QVERIFY(whole.dump == streamed.dump);
    }

    /// Every tile gets its part of the hint.
    void detailIsControlledInTiles() {
        Json graph = Json::parse(testing::exampleText("speed_then_finish"));
        const Json controlled = example();
        for (const char* node : {"load_control", "load_hint", "control"}) {
            graph["nodes"][node] = controlled["nodes"][node];
        }
        testing::relink(graph, "load_control", "controlnet", "control", "controlnet");
        testing::relink(graph, "load_hint", "image", "control", "image");
        const std::vector<std::string> set = small({"denoise.steps=2",
                                                    "latent.width=32",
                                                    "latent.height=32",
                                                    "detail.tile=32",
                                                    "detail.overlap=8",
                                                    "detail.steps=4",
                                                    "detail.sampler=euler_a"});
        const testing::ModuleRun plain = run(graph, set);
        testing::relink(graph, "control", "control", "detail", "control");
        const testing::ModuleRun whole = run(graph, set, {{"policies", {"detail=none"}}});
        const testing::ModuleRun streamed = run(graph, set, {{"policies", {"detail=leaf+stream"}}});
        QVERIFY2(whole.status == Status::Ok, whole.report.dump().c_str());
        QVERIFY2(streamed.status == Status::Ok, streamed.report.dump().c_str());
        QVERIFY(whole.dump != plain.dump);
        QVERIFY(whole.dump == streamed.dump);
    }
};

LOWTIDE_TEST(ControlRunTest)

}  // namespace control_run_test

#include "control_run_test.moc"
