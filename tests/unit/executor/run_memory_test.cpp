// Budgets that a run does not fit into, and nodes that run out of memory.
#include "plugin/executor/graph_spec.hpp"
#include "plugin/graph/issues.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"
#include "tests/unit/executor/stub_world.hpp"

#include <QtTest/QtTest>

namespace run_memory_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const std::vector<std::string> kChain = {
    "a = test.source text=A", "b = test.join a:a", "c = test.join a:b", "out = test.save value:c"};

}  // namespace

class RunMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusesBeforeTheFirstNode_whenThePlanDoesNotFit() {
        RunBench bench;
        bench.world.components["test.join"] = networkOf(kMiB);
        bench.engine.capacity = kMiB / 2;

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Invalid);
        QCOMPARE(issuesOf(result), QString("memory_infeasible b.memory"));
        QVERIFY(result.issues[0].message.str().find("1.0 MiB") != std::string::npos);
        QVERIFY(!result.issues[0].hint.empty());
        const Json facts = graph::toJson(result.issues[0]).at("facts");
        QCOMPARE(facts.at("node"), Json("b"));
        QCOMPARE(facts.at("capacity"), Json(kMiB / 2));
        QVERIFY(facts.at("needed") > facts.at("capacity"));
        QCOMPARE(joined(bench.engine.takeCalls()), QString());
    }

    void takesTheBudgetOfOptionsBeforeTheGraphs() {
        RunBench bench;
        bench.world.components["test.join"] = networkOf(kMiB);
        bench.engine.capacity = kGiB;
        Json graph = graphFrom(kChain);
        graph["memory_budget"] = "64KiB";

        QCOMPARE(bench.run(graph).status, Status::Invalid);
        QCOMPARE(bench.run(graph, {.memoryBudget = {2 * kMiB}}).status, Status::Ok);
        QCOMPARE(
            bench.run(graphFrom(kChain), {.memoryBudget = {kKiB}, .forceExecution = true}).status,
            Status::Invalid);
    }

    void dropsResultsOfOtherGraphs_beforeItRefuses_data() {
        QTest::addColumn<QString>("keeper");
        QTest::newRow("kept by the way") << "";
        QTest::newRow("kept by a node") << "p = test.keep_memory value:a";
    }

    /// What earlier graphs left makes no budget fail, and is not reported as a need of this one.
    void dropsResultsOfOtherGraphs_beforeItRefuses() {
        QFETCH(QString, keeper);
        RunBench bench;
        bench.engine.capacity = kGiB;
        bench.world.valueBytes = 600;
        bench.run(keeper.isEmpty()
                      ? graphFrom({"a = test.source text=other", "k = test.keep value:a"})
                      : graphFrom({"a = test.source text=other",
                                   keeper.toStdString(),
                                   "k = test.keep value:p"}));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(600));
        bench.world.valueBytes = 0;
        bench.world.components["test.join"] = networkOf(512);
        const RunOptions options = {.memoryBudget = {1000}};
        const auto snapshot =
            graph::makeSnapshot(graph::documentFromJson(graphFrom(kChain)), bench.types.catalog());
        auto graphSpec = makeGraphSpec(*snapshot, bench.types, "", "");
        std::variant<memory::Plan, Issue> planned;
        QVERIFY(bench.queue.tryCall([&] {
            const auto devices = openDevices(*snapshot, options, bench.engine);
            const std::vector<size_t> all = {0, 1, 2, 3};
            planned = planRun(*snapshot,
                              std::get<GraphSpec>(graphSpec),
                              all,
                              std::get<RunDevices>(devices),
                              options,
                              bench.queue.planBasis());
        }));

        const auto* plan = std::get_if<memory::Plan>(&planned);
        QVERIFY(plan && plan->dropsHeld);
        QCOMPARE(plan->devices.at(0).minimum, Bytes(512));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(600));  // a plan drops nothing
        const RunResult result = bench.run(graphFrom(kChain), options);
        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(result.report["plan"]["drops_results"], Json(false));  // they are gone
        QCOMPARE(bench.queue.cache().bytes(), Bytes(0));
    }

    void releasesComponentsOfOtherGraphs_beforeItRefuses_data() {
        const testing::Rows<int, int, bool> row("budget", "resultsAfter", "isReleased");
        row("all fits", 1800, 600, false);
        row("without results", 1200, 0, false);
        row("without components", 1000, 0, true);
        row("not at all", 500, 600, false);
    }

    /// Results go first. Where nothing helps, nothing goes.
    void releasesComponentsOfOtherGraphs_beforeItRefuses() {
        QFETCH(int, budget);
        QFETCH(int, resultsAfter);
        QFETCH(bool, isReleased);
        RunBench bench;
        bench.engine.capacity = kGiB;
        bench.world.valueBytes = 600;
        bench.run(graphFrom({"a = test.source text=other", "k = test.keep value:a"}));
        bench.world.valueBytes = 0;
        bench.engine.kept = {{.tree = "other", .device = "cpu", .bytes = 600, .role = "denoiser"}};
        bench.engine.ledger().add("cpu", memory::Tag::Weights, "denoiser", 600);
        bench.engine.onRelease = [&](std::string_view) {
            bench.engine.kept.clear();
            bench.engine.ledger().add("cpu", memory::Tag::Weights, "denoiser", -600);
        };
        bench.world.components["test.join"] = networkOf(512);
        bench.engine.takeCalls();

        const RunResult result = bench.run(graphFrom(kChain), {.memoryBudget = {budget}});

        QCOMPARE(result.status, budget < 512 ? Status::Invalid : Status::Ok);
        QCOMPARE(joined(bench.engine.takeCalls()).contains("release other, begin"), isReleased);
        QCOMPARE(bench.queue.cache().bytes(), Bytes(resultsAfter));
        if (budget < 512) {
            const Json facts = graph::toJson(result.issues[0]).at("facts");
            QCOMPARE(facts.at("minimum"), Json(512));
            return;
        }
        QCOMPARE(issuesOf(result), QString(isReleased ? "kept_released ." : ""));
        QCOMPARE(result.report["plan"]["devices"][0]["minimum"], Json(512));
    }

    /// They cost the least to have again.
    void unpinsForOtherGraphs_beforeResultsGo() {
        RunBench bench;
        bench.engine.capacity = kGiB;
        bench.world.valueBytes = 600;
        bench.run(graphFrom({"a = test.source text=other", "k = test.keep value:a"}));
        bench.world.valueBytes = 0;
        bench.engine.pin({.tree = "other", .device = "fake", .bytes = 600});
        bench.engine.ledger().add("cpu", memory::Tag::Staging, "fake", 600);
        bench.engine.onUnpin = [&](Bytes bytes) {
            bench.engine.ledger().add("cpu", memory::Tag::Staging, "fake", -bytes);
        };
        bench.world.components["test.join"] = networkOf(512);
        bench.engine.takeCalls();

        const RunResult result = bench.run(graphFrom(kChain), {.memoryBudget = {1200}});

        QCOMPARE(result.status, Status::Ok);
        QVERIFY(joined(bench.engine.takeCalls()).contains("unpin other, begin"));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(600));
        QCOMPARE(issuesOf(result), QString());
        QCOMPARE(result.report["plan"]["devices"][0]["minimum"], Json(512));
    }

    void runsANodeAgain_whenItRanOutOfMemory() {
        RunBench bench;
        int tries = 0;
        bench.world.during["c"] = [&](Context&) {
            if (++tries == 1) {
                throw Error(ErrorKind::OutOfMemory, Message("bad"));
            }
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(tries, 2);
        QCOMPARE(issuesOf(result), QString("out_of_memory_retry c.memory"));
        QVERIFY(joined(bench.engine.takeCalls())
                    .contains(
                        "enter c, leave c, offload all, collect cpu, enter c, leave c, enter out"));
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
    }

    void tightensThePolicy_rungByRung() {
        RunBench bench;
        bench.world.components["test.join"] = networkOf(1000);
        int tries = 0;
        bench.world.during["c"] = [&](Context&) {
            if (++tries <= 3) {
                throw Error(ErrorKind::OutOfMemory, Message("bad"));
            }
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(result.issues.size(), size_t{3});
        QVERIFY(result.issues[1].message.str().find("policy is now model") != std::string::npos);
        QVERIFY(result.issues[2].message.str().find("policy is now block+stream") !=
                std::string::npos);
        QCOMPARE(joined(bench.engine.takeCalls()).count("replan"), 2);
    }

    /// Another device would have other bits.
    void leavesEachComponentWhereItComputes_onEveryRung() {
        RunBench bench;
        bench.world.components["test.join"] = networkOf(1000);
        Json graph =
            graphFrom({"a = test.source text=A", "c = test.join a:a", "out = test.save value:c"});
        graph["nodes"]["c"]["memory"] = {
            {"policy", "auto"},
            {"after", "drop"},
            {"components", {{"network", {{"policy", "none"}, {"device", "cpu"}}}}}};
        int tries = 0;
        bench.world.during["c"] = [&](Context&) {
            if (++tries <= 4) {
                throw Error(ErrorKind::OutOfMemory, Message("bad"));
            }
        };

        const RunResult result = bench.run(graph, {.device = memory::parseDeviceSpec("fake")});

        QCOMPARE(result.status, Status::Ok);
        QVERIFY(result.issues.back().message.str().find("policy is now block+stream") !=
                std::string::npos);
        const Json& planned = result.report["plan"];
        QCOMPARE(planned["components"].at(0)["device"], Json("cpu"));
        QCOMPARE(planned["stays"].at(0)["policy"], Json("block"));
    }

    /// Half of the device is a component that an earlier run kept; the first rung sends it away.
    void plansAgainWithoutWhatTheLadderFreed() {
        RunBench bench;
        bench.engine.capacity = 16000;
        auto network = std::make_shared<memory::ComponentTree>(*networkOf(512));
        for (uint32_t i = 1; i < 16; ++i) {
            const std::string name = "w" + std::to_string(i);
            network->storages.push_back({.key = name, .fileType = DType::U8, .elementCount = 512});
            network->weights.push_back(
                {.name = name, .storage = i, .computeType = DType::U8, .shape = {512}});
            network->leaves.push_back({.name = name, .weights = {i}});
        }
        bench.world.components["test.join"] = network;
        bench.world.valueBytes = 0;
        bench.engine.kept = {{.tree = "other", .device = "cpu", .bytes = 9600, .role = "other"}};
        bench.engine.ledger().add("cpu", memory::Tag::Weights, "other", 9600);
        bench.engine.onOffload = [&] {
            if (!std::exchange(bench.engine.kept, {}).empty()) {
                bench.engine.ledger().add("cpu", memory::Tag::Weights, "other", -9600);
            }
        };
        int tries = 0;
        bench.world.during["c"] = [&](Context&) {
            if (++tries <= 2) {
                throw Error(ErrorKind::OutOfMemory, Message("bad"));
            }
        };

        Json graph =
            graphFrom({"a = test.source text=A", "c = test.join a:a", "out = test.save value:c"});
        graph["nodes"]["c"]["memory"] = "auto";
        const RunResult result = bench.run(graph);

        QVERIFY2(result.status == Status::Ok, result.report.dump().c_str());
        QCOMPARE(tries, 3);
        const std::string& second = result.issues[1].message.str();
        QVERIFY2(second.find("policy is now model") != std::string::npos, second.c_str());
    }

    void reportsWhatNoRungHelps() {
        RunBench bench;
        bench.world.components["test.join"] = networkOf(1000);
        bench.world.during["c"] = [](Context&) {
            throw Error(ErrorKind::OutOfMemory, Message("bad"));
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QVERIFY(result.issues.back().code == "out_of_memory");
        QVERIFY(joined(bench.engine.takeCalls()).endsWith("end failed"));
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
    }

    /// No node of it computes on the host, whose memory is bounded all the same.
    void pinsOfARunOnAGpuRemainWithinTheHost() {
        RunBench bench;
        bench.engine.capacity =
            kGiB;  // of which the host has the least that a run may use: 256 MiB
        bench.world.components["test.join"] = networkOf(600 * kMiB);
        bench.world.valueDevice = "fake";
        Json graph =
            graphFrom({"a = test.source text=A", "c = test.join a:a", "out = test.save value:c"});
        graph["nodes"]["c"]["memory"] = "leaf,pin=1GiB";

        const RunResult result =
            bench.run(graph, {.device = memory::parseDeviceSpec("fake"), .memoryBudget = {kGiB}});

        QCOMPARE(result.status, Status::Ok);
        const Json& plan = result.report["plan"];
        const Bytes space = plan["devices"].at(1)["capacity"].get<Bytes>();
        QCOMPARE(plan["devices"].at(1)["device"], Json("cpu"));
        QVERIFY(space < 600 * kMiB);
        const Bytes pinned = plan["stays"].at(0)["pinned_bytes"].get<Bytes>();
        QCOMPARE(pinned, space);
        const Json& stage = plan["stages"].at(1);
        QCOMPARE(stage["node"], Json("c"));
        QCOMPARE(stage["devices"]["cpu"]["staging"], Json(pinned));
    }
};

LOWTIDE_TEST(RunMemoryTest)

}  // namespace run_memory_test

#include "run_memory_test.moc"
