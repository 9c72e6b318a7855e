// What the plan states that each node will hold besides what it held, in graphs with control nodes.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>

namespace planned_peaks_test {

using namespace lowtide;

namespace {

/// Design, section 6: predicted and measured peaks of each stage.
constexpr double kTolerance = 0.05;

constexpr const char* kGraphs[] = {
    "control_nodes", "late", "several_prompts", "hires", "speed_then_finish"};
const std::vector<std::string> kPolicies = {"none", "model", "auto", "leaf+stream", "block:2"};

}  // namespace

class PlannedPeaksTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    double largestError_ = 0;
    int compared_ = 0;

    static Json graphOf(const QString& name) { return Json::parse(testing::exampleText(name)); }

    /// The example with a control node between decode and save, and the image enlarged behind it.
    static Json withLateControls() {
        Json graph = graphOf("control_nodes");
        graph["nodes"]["late"] = {{"type", "control.offload"}, {"params", {{"component", "all"}}}};
        graph["nodes"]["keep_image"] = {{"type", "control.result_cache"},
                                        {"params", {{"where", "memory"}}}};
        graph["nodes"]["enlarge"] = {{"type", "upscale.image"}, {"params", {{"scale", 1.5}}}};
        for (Json& link : graph["links"]) {
            if (link["to"] == Json({"save", "image"})) {
                link["to"] = {"late", "value"};
            }
        }
        for (const auto& [from, port, to, input] :
             {std::array{"late", "value", "keep_image", "value"},
              {"keep_image", "value", "enlarge", "image"},
              {"enlarge", "image", "save", "image"}}) {
            graph["links"].push_back({{"from", {from, port}}, {"to", {to, input}}});
        }
        return graph;
    }

    testing::ModuleRun run(const Json& graph, const Json& options) {
        Json wanted = options;
        wanted["out"] = folder_.filePath("out").toStdString();
        return testing::runModule(graph.dump(), wanted);
    }

    /// Each node that executed on the device of the run.
    void compare(const Json& report, const std::string& device) {
        for (const Json& node : report.at("repetitions").back().at("nodes")) {
            if (node.at("device") != device) {
                continue;
            }
            const auto stage = std::find_if(
                report.at("plan").at("stages").begin(),
                report.at("plan").at("stages").end(),
                [&](const Json& planned) { return planned.at("node") == node.at("node"); });
            const auto predicted = stage->at("devices").at(device).at("total").get<int64_t>();
            const auto measured = node.at("peakBytes").get<int64_t>();
            const double error = measured == predicted
                                     ? 0
                                     : std::abs(static_cast<double>(predicted - measured)) /
                                           static_cast<double>(std::max<int64_t>(measured, 1));
            largestError_ = std::max(largestError_, error);
            ++compared_;
            QVERIFY2(
                error <= kTolerance,
                (node.at("node").get<std::string>() + ": predicted " + std::to_string(predicted) +
                 ", measured " + std::to_string(measured) + ", " + stage->dump())
                    .c_str());
        }
    }

private Q_SLOTS:

    void initTestCase() { qputenv("LOWTIDE_CACHE", folder_.path().toUtf8()); }

    void cleanup() { testing::openModule().runner()->release("all"); }

    void areThoseMeasured_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("batch");
        constexpr std::array<std::array<int, 3>, 4> kSizes = {
            {{64, 64, 1}, {128, 128, 1}, {96, 64, 2}, {64, 136, 3}}};
        for (const char* graph : kGraphs) {
            for (size_t policy = 0; policy < kPolicies.size(); ++policy) {
                for (size_t size = 0; size < kSizes.size(); ++size) {
                    if ((policy + size) % (testing::isFullTest() ? 2 : 4) == 0) {
                        const auto& [width, height, batch] = kSizes[size];
                        const std::string name = kPolicies[policy];
                        QTest::addRow(
                            "%s, %s, %d x %d x %d", graph, name.c_str(), width, height, batch)
                            << graph << "fake" << QString::fromStdString(name) << width << height
                            << batch;
                    }
                }
            }
        }
        for (const char* graph : kGraphs) {
            QTest::addRow("%s on the cpu", graph) << graph << "cpu"
                                                  << "auto" << 128 << 128 << 1;
        }
    }

    void areThoseMeasured() {
        QFETCH(QString, graph);
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, batch);
        std::vector<std::string> policies;
        for (const char* stage : {"encode=", "denoise=", "decode="}) {
            policies.push_back(stage + policy.toStdString());
        }

        Json settings = {"denoise.steps=2",
                         "denoise.sampler=euler_a",
                         "latent.width=" + std::to_string(width),
                         "latent.height=" + std::to_string(height),
                         "latent.batch=" + std::to_string(batch)};
        if (graph == "speed_then_finish") {
            policies.push_back("detail=" + policy.toStdString());
            for (const char* setting : {"enlarge.scale=1.5", "detail.steps=4", "detail.tile=64"}) {
                settings.push_back(setting);
            }
        }
        if (graph == "hires") {
            for (const char* setting : {"upscale.scale=1.5",
                                        "refine.steps=2",
                                        "refine.sampler=euler_a",
                                        "refine.batch_seeds=each"}) {
                settings.push_back(setting);
            }
        }

        const testing::ModuleRun ended = run(graph == "late" ? withLateControls() : graphOf(graph),
                                             {{"device", device == "fake" ? "fake:1GiB" : "cpu"},
                                              {"policies", policies},
                                              {"forceExecution", true},
                                              {"set", settings}});

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        compare(ended.report, device.toStdString());
        int64_t planned = 0;
        for (const Json& stage : ended.report.at("plan").at("stages")) {
            planned += stage.at("moved").get<int64_t>();
        }
        QCOMPARE(ended.report.at("repetitions").back().at("bytesToDevice").get<int64_t>(), planned);
    }

    void areThoseMeasured_whenImagesAreRead_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        bool isRun = false;  // each graph with half of the policies; all where there is time
        for (const char* graph :
             {"image_to_image", "inpaint", "photo_to_image", "inpaint_paste_back"}) {
            for (const std::string& policy : kPolicies) {
                isRun = !isRun || testing::isFullTest();
                if (isRun) {
                    QTest::addRow("%s, fake, %s", graph, policy.c_str())
                        << graph << "fake" << QString::fromStdString(policy);
                }
            }
            QTest::addRow("%s, cpu", graph) << graph << "cpu"
                                            << "auto";
        }
    }

    /// An image lies on the host until a stage takes it to its device.
    void areThoseMeasured_whenImagesAreRead() {
        QFETCH(QString, graph);
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Json set = {"denoise.steps=3", "denoise.sampler=euler_a"};
        const Json document = graphOf(graph);
        for (const char* node : {"load_image", "load_mask"}) {
            if (document.at("nodes").contains(node)) {
                const auto file = document["nodes"][node]["params"]["image"].get<std::string>();
                set.push_back(std::string(node) + ".image=" +
                              testing::sourcePath("examples/graphs/").toStdString() + file);
            }
        }
        std::vector<std::string> policies;
        for (const char* stage : {"encode=", "encode_image=", "denoise=", "decode="}) {
            policies.push_back(stage + policy.toStdString());
        }

        const testing::ModuleRun ended = run(document,
                                             {{"device", device == "fake" ? "fake:1GiB" : "cpu"},
                                              {"policies", policies},
                                              {"forceExecution", true},
                                              {"set", set}});

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        compare(ended.report, device.toStdString());
    }

    /// Values of an earlier run lie on the host: what is computed from them is planned there, or
    /// with a copy of them.
    void areThoseMeasured_whereResultsWereKept() {
        const Json graph = withLateControls();
        Json options = {{"device", "fake:1GiB"},
                        {"set", {"denoise.steps=2", "denoise.sampler=euler_a"}}};
        QVERIFY(run(graph, options).status == Status::Ok);
        options["set"].push_back("decode.tile=64");

        const testing::ModuleRun ended = run(graph, options);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const Json& executed = ended.report.at("repetitions").back().at("executed");
        QVERIFY(std::find(executed.begin(), executed.end(), "denoise") == executed.end());
        compare(ended.report, "fake");
    }

    /// The device is smaller behind an Offload node: what it frees may be used.
    void anOffloadMakesSpace() {
        const Json graph = withLateControls();
        const auto minimumOf = [&](const Json& planned) {
            std::string text;
            const Status status = testing::openModule().runner()->plan(
                planned.dump(),
                Json({{"device", "fake:1GiB"},
                      {"policies", {"encode=none", "denoise=none", "decode=leaf"}}})
                    .dump(),
                text);
            return status == Status::Ok ? Json::parse(text)
                                              .at("plan")
                                              .at("devices")
                                              .at(0)
                                              .at("minimum")
                                              .get<int64_t>()
                                        : 0;
        };
        Json without = graph;
        without["nodes"]["free_encoder"]["mode"] = "bypassed";

        const int64_t minimum = minimumOf(graph);

        QVERIFY(minimum > 0);
        QVERIFY2(minimum + 500000 < minimumOf(without), qPrintable(QString::number(minimum)));
        const testing::ModuleRun ended =
            run(graph,
                {{"device", "fake:1GiB"},
                 {"memoryBudget", std::to_string(minimum)},
                 {"policies", {"encode=none", "denoise=none", "decode=leaf"}},
                 {"forceExecution", true}});
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
    }

    void cleanupTestCase() {
        qInfo("%d stages compared, largest error %.2f %%", compared_, 100 * largestError_);
    }
};

LOWTIDE_TEST(PlannedPeaksTest)

}  // namespace planned_peaks_test

#include "planned_peaks_test.moc"
