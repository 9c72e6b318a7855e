// Plans for a card that is not there: nobody opens it, nothing lies on it, and nodes compute on it.
#include "plugin/executor/run_plan.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"
#include "tests/unit/executor/stub_world.hpp"

#include <QtTest/QtTest>

namespace planned_card_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const Json kGraph = Json::parse(R"({
  "format": 1, "device": "fake:1GiB",
  "nodes": {"a": {"type": "test.source", "v": 1}, "b": {"type": "test.join", "v": 1},
            "out": {"type": "test.keep", "v": 1}},
  "links": [{"from": ["a", "value"], "to": ["b", "a"]}, {"from": ["b", "value"], "to": ["out", "value"]}]
})");

RunOptions asPlannedCard() {
    RunOptions options;
    options.card =
        memory::Card{.name = "Somebody's", .capability = 75, .memory = 8 * kGiB, .driver = kGiB};
    return options;
}

}  // namespace

class PlannedCardTest : public QObject {
    Q_OBJECT

    StubWorld world_;
    FakeEngine engine_;  ///< has no cuda
    const NodeTypes types_{stubNodes(world_)};
    const ResultCache cache_{engine_.ledger(), kMiB};
    WorkPaces paces_;
    DryRunCache dryRuns_;

    std::shared_ptr<const graph::Snapshot> snapshotOf(const char* policy = "") const {
        graph::Document document = graph::documentFromJson(kGraph);
        document.nodes.at("b").memory = *policy ? Json(policy) : Json();
        return graph::makeSnapshot(document, types_.catalog());
    }

private Q_SLOTS:

    void isOpenedByNobody() {
        QStringList opened;
        engine_.before = [&](std::string_view call) {
            opened << QString::fromUtf8(call.data(), static_cast<qsizetype>(call.size()));
        };
        const auto devices = openDevices(*snapshotOf(), asPlannedCard(), engine_);
        engine_.before = {};

        const auto& known = std::get<RunDevices>(devices);
        QCOMPARE(known.main.id(), std::string("cuda:0"));
        const memory::PlanDevice& card = known.opened.front();
        QCOMPARE(card.card, std::string("Somebody's"));
        QCOMPARE(card.size, 7 * kGiB);
        QCOMPARE(card.traits.capacity, 7 * kGiB / 100 * 95);
        QVERIFY(card.profile.isEstimated());
        QVERIFY(known.opened.back().card.empty());  // the host is there
        QVERIFY(!opened.contains("open cuda:0") && !opened.contains("open fake"));
        QVERIFY(opened.contains("open cpu"));
    }

    void takesABudgetUpToWhatProgramsCanHave() {
        RunOptions options = asPlannedCard();
        options.memoryBudget = {7 * kGiB};
        const auto fits = openDevices(*snapshotOf(), options, engine_);
        QCOMPARE(std::get<RunDevices>(fits).opened.front().traits.capacity, 7 * kGiB);
        options.memoryBudget = {7 * kGiB + 1};
        const auto refused = openDevices(*snapshotOf(), options, engine_);
        const auto& issue = std::get<Issue>(refused);
        QCOMPARE(issue.item, std::string("memory_budget"));
        QVERIFY2(issue.message.str().find("Somebody's") != std::string::npos,
                 issue.message.str().c_str());
    }

    /// Whatever this machine has free.
    void pinsOfTheHostWhoseBudgetIsStated() {
        RunOptions options = asPlannedCard();
        options.memoryBudget = memory::parseMemoryBudget("cpu=100GiB");
        const auto devices = openDevices(*snapshotOf(), options, engine_);
        QCOMPARE(std::get<RunDevices>(devices).opened.front().traits.pinnable,
                 memory::pinnableOf(100 * kGiB));
    }

    /// A machine that has a card of its own holds things on "cuda:0".
    void nothingLiesOnIt() {
        engine_.ledger().set("cuda:0", memory::Tag::Wires, "denoise.latent", kGiB);
        engine_.kept = {{.tree = "network", .device = "cuda:0", .bytes = kMiB},
                        {.tree = "other", .device = "cpu", .bytes = kMiB}};
        const auto devices = openDevices(*snapshotOf(), asPlannedCard(), engine_);
        memory::PlanRequest request{.device = std::get<RunDevices>(devices).main,
                                    .devices = std::get<RunDevices>(devices).opened};

        renewHeld(request, {engine_, cache_, paces_, dryRuns_});

        QCOMPARE(request.devices.front().traits.capacity, 7 * kGiB / 100 * 95);
        QCOMPARE(request.devices.front().held, Bytes{0});
        QCOMPARE(request.kept.size(), size_t{1});
        QCOMPARE(request.kept.front().device, std::string("cpu"));
    }

    void decidesInWhichTypesNodesCompute_data() {
        const testing::Rows<QString, int> row("policy", "capability");
        row("on it", "", 75);
        row("by name", "auto@cuda:0", 75);
        row("a real one next to it", "auto@cuda:1", 90);
        row("on the cpu", "auto@cpu", 0);
        row("on a rehearsal", "auto@fake", 0);
    }

    void decidesInWhichTypesNodesCompute() {
        QFETCH(QString, policy);
        QFETCH(int, capability);
        const QByteArray text = policy.toUtf8();
        const auto known = withRunDevices(
            snapshotOf(text.constData()), asPlannedCard(), {{"cuda:0", 89}, {"cuda:1", 90}});
        const auto node = std::find_if(known->nodes.begin(),
                                       known->nodes.end(),
                                       [](const auto& each) { return each.id == "b"; });
        QCOMPARE(node->precision.capabilityOf("network"), capability);
    }

    /// The dry run of a node knows whether its device can be asked.
    void dryRunsOnItAskNobody() {
        std::map<std::string, bool> isThere;
        const auto snapshot = snapshotOf("");
        GraphSpec graphSpec;
        for (const graph::SnapshotNode& node : snapshot->nodes) {
            NodeSpec& work = graphSpec.work.emplace_back();
            work.dryRun = [&, id = node.id](const memory::StageDevices& stageDevices) {
                isThere[id] = stageDevices.device.isThere;
                return memory::StageWork{.activations = kMiB, .guessed = kMiB / 2};
            };
            for (const PortDesc& port : node.desc->outputs) {
                work.outputs.emplace_back(port.id, ValueSpec());
            }
        }
        graphSpec.work.back().isOnHost = true;
        const auto devices = openDevices(*snapshot, asPlannedCard(), engine_);
        std::vector<size_t> positions = {0, 1, 2};

        const auto plan = planRun(*snapshot,
                                  graphSpec,
                                  positions,
                                  std::get<RunDevices>(devices),
                                  asPlannedCard(),
                                  {engine_, cache_, paces_, dryRuns_});

        QCOMPARE(isThere.size(), size_t{3});
        QCOMPARE(isThere.at(snapshot->nodes[0].id), false);
        QCOMPARE(isThere.at(snapshot->nodes[2].id), true);  // the host is there
        const Json json = memory::toJson(std::get<memory::Plan>(plan));
        QCOMPARE(json.at("devices").at(0).at("planned_for"), Json("Somebody's"));
        QCOMPARE(json.at("devices").at(0).at("estimated"), Json(true));
        QCOMPARE(json.at("devices").at(0).at("rehearsal"), Json(false));
        QCOMPARE(json.at("devices").at(1).at("planned_for"), Json(""));
        QCOMPARE(json.at("stages").at(0).at("devices").at("cuda:0").at("guessed_workspace"),
                 Json(kMiB / 2));
    }
};

LOWTIDE_TEST(PlannedCardTest)

}  // namespace planned_card_test

#include "planned_card_test.moc"
