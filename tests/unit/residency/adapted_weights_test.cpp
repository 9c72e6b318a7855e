// What changes while it streams or between runs: adapters, policies, the model itself.
// Numbers are those of the list of sharp tests in docs/memory.md.
#include "plugin/base/error.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/adapted.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace adapted_weights_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::LeafId;
using memory::Outcome;
using testing::adapted;
using testing::Bench;
using testing::copyOf;
using testing::NodeRun;

class AdaptedWeightsTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    /// Two models of one layout whose weights differ, in turn on one device: each gets its own.
    void s08_twoModelsOfOneLayout_data() { testing::addStreamingPolicies(); }

    void s08_twoModelsOfOneLayout() {
        QFETCH(QString, policy);
        Bench one(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const testing::SyntheticModel two(folder_.newPath(), {.seed = 8});
        const auto second = copyOf(two.denoiser(), "the second model");
        for (int run = 0; run < 3; ++run) {
            {
                NodeRun node(one, one.model.denoiser(), policy.toStdString());
                QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
            }
            NodeRun node(one, second, policy.toStdString());
            for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
                const memory::Weight& weight =
                    second->weights[second->leaves[leaf].weights.front()];
                QVERIFY(at::equal(node.read(leaf), two.expected(*second, weight)));
            }
        }
    }

    void s09_adaptersComeAndGo_data() { testing::addStreamingPolicies(); }

    /// Other adapters in turn on one device, and none: each run has the weights of its own.
    void s09_adaptersComeAndGo() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto plain = bench.model.denoiser();
        for (const double strength : {0.5, -1.25, 0.0, 0.5}) {
            const auto tree = adapted(*plain, folder_.newPath(), {.strength = strength});
            QCOMPARE(tree->id == plain->id, strength == 0);
            NodeRun node(bench, tree, policy.toStdString());
            for (int forward = 0; forward < 2; ++forward) {
                for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
                    const memory::Weight& weight = tree->weights[tree->leaves[leaf].weights[0]];
                    const at::Tensor hostWeight = bench.model.expected(*plain, weight);
                    QVERIFY(
                        at::equal(node.read(leaf),
                                  testing::changed(hostWeight, weight, {.strength = strength})));
                }
            }
        }
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s10_changesGiveTheSameBitsResidentAndStreamed_data() {
        const testing::Rows<int, QString, QString> row("component", "storage", "compute");
        row("f16 and f32 files", 0, "f32", "f32");
        row("f32 file", 1, "f32", "f32");
        row("bf16 and f8 files", 2, "f32", "f32");
        row("stored as in f16 and f32 files", 0, "file", "f32");
        row("f32 stored as f16", 1, "f16", "f32");
        row("f32 stored as bf16", 1, "bf16", "bf16");
        row("f16 stored as bf16", 0, "bf16", "bf16");
        row("f16 asked to be f8", 0, "f8", "f16");
        row("f32 asked to be f8", 1, "f8", "f32");
        row("stored as in bf16 and f8 files", 2, "file", "bf16");
        row("bf16 and f8 files, decoded", 2, "bf16", "bf16");
    }

    /// The same under every policy, in three forwards, and what the definition gives: the value of
    /// the file and the delta in f32, rounded once. What lies in eight bits is changed as it lies.
    void s10_changesGiveTheSameBitsResidentAndStreamed() {
        QFETCH(int, component);
        QFETCH(QString, storage);
        QFETCH(QString, compute);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.0005});
        const auto plain = bench.model.trees()[static_cast<size_t>(component)];
        const testing::AdapterSettings settings{.strength = 0.7, .type = DType::F16};
        const auto tree = testing::typed(*adapted(*plain, folder_.newPath(), settings),
                                         storage.toStdString(),
                                         compute.toStdString());
        for (const char* policy : testing::kPolicies) {
            NodeRun node(bench, tree, policy);
            for (int forward = 0; forward < 3; ++forward) {
                node.beginForward();
                for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
                    const memory::Weight& weight = tree->weights[tree->leaves[leaf].weights[0]];
                    if (tree->leaves[leaf].gathered || weight.shape.size() != 2) {
                        continue;
                    }
                    const memory::Weight& hostWeight =
                        plain->weights[plain->leaves[leaf].weights[0]];
                    const bool isRounded = tree->storages[weight.storage].scaleCount > 0;
                    const at::Tensor value = bench.model.expected(*plain, hostWeight);
                    const at::Tensor exact = testing::changed(
                        isRounded ? testing::roundedToF8(value) : value, weight, settings);
                    const DType held = memory::deltasAtLease(tree->storages[weight.storage])
                                           ? weight.computeType
                                           : tree->deviceType(weight.storage);
                    const at::Tensor wanted = exact.to(residency::scalarTypeOf(held))
                                                  .to(residency::scalarTypeOf(weight.computeType));
                    QVERIFY2(at::equal(node.read(leaf), wanted), policy);
                }
            }
        }
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s10_onlyTheResultRemains_data() { testing::addDevices(); }

    /// A file in f32, held as f16: the device has what it has without the adapter, and the factors;
    /// after an eviction and in a second run too.
    void s10_onlyTheResultRemains() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device, {}, {.longestDelay = 0.0005});
        const auto plain = bench.model.trees()[1];
        const testing::AdapterSettings settings{.strength = 0.7, .type = DType::F16};
        const auto tree =
            testing::typed(*adapted(*plain, folder_.newPath(), settings), "f16", "f16");
        const auto before = testing::typed(*plain, "f16", "f16");
        Bytes factors = 0;
        for (const memory::WeightDelta& delta : tree->deltas) {
            for (const memory::DeltaFactor& factor : delta.factors) {
                factors += alignUp(tree->deviceBytes(tree->weights[factor.weight].storage),
                                   memory::kSlotAlignment);
            }
        }
        for (const char* policy : {"none", "model", "none"}) {
            Bytes held = 0;
            {
                NodeRun node(bench, before, policy);
                held = bench.total();
            }
            NodeRun node(bench, tree, policy);
            QCOMPARE(bench.total(), held + factors);
            for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
                const memory::Weight& weight = tree->weights[tree->leaves[leaf].weights[0]];
                if (tree->leaves[leaf].gathered || weight.shape.size() != 2) {
                    continue;
                }
                const memory::Weight& hostWeight = plain->weights[plain->leaves[leaf].weights[0]];
                const at::Tensor exact =
                    testing::changed(bench.model.expected(*plain, hostWeight), weight, settings);
                QVERIFY2(at::equal(node.read(leaf), exact.to(at::kHalf)), policy);
                QVERIFY2(at::equal(node.read(leaf), exact.to(at::kHalf)), policy);
            }
        }
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// One behind another, as a user puts them: the second adds to what the first made.
    void s10_adaptersAddUpInTheirOrder() {
        Bench bench(folder_.newPath(), "fake");
        const auto plain = bench.model.denoiser();
        const testing::AdapterSettings one{.strength = 0.7};
        const testing::AdapterSettings two{.strength = -0.2, .type = DType::BF16, .phase = 1};
        const auto first = adapted(*plain, folder_.newPath(), one);
        const auto tree = adapted(*first, folder_.newPath(), two);
        QCOMPARE(tree->networkId(), plain->id);
        QVERIFY(tree->id != first->id && first->id != plain->id);
        NodeRun node(bench, tree, "leaf+stream");
        const memory::Weight& weight = plain->weights[plain->leaves[1].weights[0]];
        const at::Tensor hostWeight = bench.model.expected(*plain, weight);
        QVERIFY(
            at::equal(node.read(1),
                      testing::changed(testing::changed(hostWeight, weight, one), weight, two)));
    }

    void s10_rowsOfATableAreChangedWhenTheyAreGathered_data() { testing::addDevices(); }

    void s10_rowsOfATableAreChangedWhenTheyAreGathered() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        const auto plain = bench.model.textEncoder();
        const testing::AdapterSettings settings{.strength = 0.3};
        const auto tree = adapted(*plain, folder_.newPath(), settings);
        const memory::Weight& table = plain->weights[plain->leaves[0].weights[0]];
        const at::Tensor hostWeight = bench.model.expected(*plain, table);
        const at::Tensor whole = testing::changed(hostWeight, table, settings);
        NodeRun node(bench, tree, "none");
        const at::Tensor ids = at::tensor({49, 0, 7, 7}, at::kLong).view({2, 2});
        const at::Tensor rows = bench.residency->gatherRows(*tree, 0, ids).cpu();
        // Products of other sizes: their sums are rounded otherwise.
        constexpr double kRounding = 1e-6;
        QVERIFY(
            at::allclose(rows.view({4, 24}), whole.index_select(0, ids.view({4})), 0, kRounding));
        QVERIFY(!at::allclose(rows.view({4, 24}), hostWeight.index_select(0, ids.view({4}))));
    }

    void s09_keptWeightsRemainThoseOfTheirAdapter() {
        Bench bench(folder_.newPath(), "fake");
        const auto plain = bench.model.denoiser();
        const auto tree = adapted(*plain, folder_.newPath());
        const memory::Weight& weight = plain->weights[plain->leaves[1].weights[0]];
        const at::Tensor wanted =
            testing::changed(bench.model.expected(*plain, weight), weight, {});
        for (int run = 0; run < 2; ++run) {
            {
                NodeRun node(bench, plain, "none,after=keep");
                QVERIFY(node.isRight(1));
            }
            NodeRun node(bench, tree, "none,after=keep");
            QVERIFY(at::equal(node.read(1), wanted));
            QVERIFY(at::equal(node.read(1), wanted));
        }
        bench.residency->release("all");
        QCOMPARE(bench.total(), 0);
    }

    void s10_anEngineWithoutTheMathematicsRefuses() {
        testing::SyntheticModel model(folder_.newPath());
        residency::Residency engine(std::make_unique<testing::TestDevices>());
        const auto tree = adapted(*model.denoiser(), folder_.newPath());
        engine.open({});
        memory::PlanRequest request = model.request("leaf", {}, engine.traits({}));
        request.nodes = {{"node", memory::parsePolicy("leaf"), {tree}}};
        engine.begin(testing::planOf(request), {});
        engine.enter(0);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(engine.use(*tree, 1)));
        engine.leave(0);
        engine.end(Outcome::Failed);
    }

    void s15_policiesChangeBetweenRuns() {
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        for (const char* policy :
             {"none", "leaf+stream", "none,after=keep", "sequential", "block+stream", "model"}) {
            NodeRun node(bench, bench.model.denoiser(), policy);
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        }
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// One component under another policy at every node of one run.
    void s15_policiesChangeBetweenNodes() {
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        memory::PlanRequest request = bench.request("none");
        request.nodes.clear();
        for (const char* policy :
             {"sequential", "block+stream", "model", "leaf+stream,budget=64KiB", "leaf"}) {
            request.nodes.push_back(
                {policy, memory::parsePolicy(policy), {bench.model.denoiser()}});
        }
        bench.residency->begin(testing::planOf(request), {});
        for (memory::NodeIndex node = 0; node < request.nodes.size(); ++node) {
            bench.residency->enter(node);
            for (int step = 0; step < 2; ++step) {
                testing::compareWithHostWeights(bench, *bench.model.denoiser());
            }
            bench.residency->leave(node);
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// A kept model whose tree dies while another comes to the same address: what was kept of the
    /// first is not taken for the second.
    void s15_aModelAtTheAddressOfAnother() {
        Bench bench(folder_.newPath(), "fake");
        const testing::SyntheticModel other(folder_.newPath(), {.seed = 8});
        {
            NodeRun node(bench, copyOf(bench.model.denoiser(), "first"), "none,after=keep");
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        }
        const auto second = copyOf(other.denoiser(), "second");
        NodeRun node(bench, second, "none,after=keep");
        QVERIFY(at::equal(node.read(1), other.expected(*second, second->weights[2])));
    }

    /// Policies in turn, two hundred runs: nothing grows.
    void s24_nothingGrows() {
        constexpr const char* kRounds[] = {"none", "model", "leaf+stream", "sequential"};
        Bench bench(folder_.newPath(), "fake", {.scale = 8});
        Bytes settled = 0;
        for (int run = 0; run < 200; ++run) {
            bench.ledger().beginRun();
            testing::runAll(bench, bench.plan(kRounds[run % 4]));
            QCOMPARE(bench.total(), 0);
            settled = run == 39 ? bench.residency->memoryState({}).hostUsed : settled;
        }
        const Bytes grown = bench.residency->memoryState({}).hostUsed - settled;
        constexpr Bytes kNoise = 8 * kMiB;  // of the heap: 51 KiB a run, less than one large weight
        QVERIFY2(grown < kNoise, qPrintable(QString::number(grown)));
    }
};

LOWTIDE_TEST(AdaptedWeightsTest)

}  // namespace adapted_weights_test

#include "adapted_weights_test.moc"
