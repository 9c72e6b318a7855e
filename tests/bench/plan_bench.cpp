// How long plans of Stable Diffusion XL take in a program that goes on: the first one, the same
// again, and after small edits. Files are of the true sizes and take no disk space.
#include "tests/bench/median.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace plan_bench {

using namespace lowtide;

namespace {

constexpr int kRounds = 9;
constexpr double kPatience = 10;  ///< machines differ and are shared
constexpr double kGoalMilliseconds = 20;

Json xlGraph() {
    Json graph = Json::parse(testing::exampleText("text_to_image"));
    Json& nodes = graph["nodes"];
    nodes["load"]["params"]["checkpoint"] =
        (testing::hollowXlFolder() + "/sd_xl_base_1.0.safetensors").toStdString();
    nodes["latent"]["params"]["width"] = 1024;
    nodes["latent"]["params"]["height"] = 1024;
    nodes["denoise"]["params"]["steps"] = 50;
    return graph;
}

double millisecondsOf(const Json& graph, const Json& options) {
    Runner& runner = *testing::openModule().runner();
    const std::string text = graph.dump();
    const std::string with = options.dump();
    std::string plan;
    const testing::CpuTimer timer;
    const Status status = runner.plan(text, with, plan);
    const double milliseconds = timer.milliseconds();
    if (status != Status::Ok) {
        throw std::runtime_error(plan);
    }
    return milliseconds;
}

}  // namespace

class PlanBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void plansOfXl_data() {
        QTest::addColumn<QString>("options");
        QTest::newRow("cpu") << "{}";
        QTest::newRow("fake, whole") << R"({"device": "fake:24GiB"})";
        QTest::newRow("fake, half") << R"({"device": "fake:24GiB", "memoryBudget": "2GiB"})";
        QTest::newRow("a card") << R"({"as": "RTX 4060"})";
    }

    void plansOfXl() {
        QFETCH(QString, options);
        const Json with = Json::parse(options.toStdString());
        Json graph = xlGraph();
        qInfo("first: %.1f ms of CPU", millisecondsOf(graph, with));
        const auto medianOf = [&](const char* what, const std::function<void(int)>& edit) {
            std::vector<double> all;
            for (int round = 0; round < kRounds; ++round) {
                edit(round);
                all.push_back(millisecondsOf(graph, with));
            }
            qInfo("%s: %.1f ms of CPU", what, testing::median(all));
            return testing::median(all);
        };
        const double again = medianOf("the same again", [](int) {});
        const double prompt = medianOf("another prompt", [&](int round) {
            graph["nodes"]["encode"]["params"]["prompt"] = "a fox " + std::to_string(round);
        });
        const double seed = medianOf("another seed", [&](int round) {
            graph["nodes"]["denoise"]["params"]["seed"] = 100 + round;
        });
        const double size = medianOf("another size", [&](int round) {
            graph["nodes"]["latent"]["params"]["width"] = 512 + 64 * round;
        });
        QVERIFY(again < kPatience * kGoalMilliseconds);
        QVERIFY(prompt < kPatience * kGoalMilliseconds);
        QVERIFY(seed < kPatience * kGoalMilliseconds);
        QVERIFY(size > 0);
    }
};

LOWTIDE_TEST(PlanBench)

}  // namespace plan_bench

#include "plan_bench.moc"
