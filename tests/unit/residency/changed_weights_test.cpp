// What changes while it streams or between runs: state, patches, policies, the model itself.
// Numbers are those of the list of sharp tests in docs/memory.md.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace changed_weights_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::LeafId;
using memory::Outcome;
using residency::Patch;
using testing::Bench;
using testing::copyOf;
using testing::NodeRun;

namespace {

/// Seeded rank-4 patches of both matrices of the denoiser.
std::vector<Patch> rankFourPatches(const ComponentTree& tree, double scale) {
    std::vector<Patch> patches;
    for (memory::WeightId id = 0; id < tree.weights.size(); ++id) {
        const Shape& shape = tree.weights[id].shape;
        if (shape.size() != 2) {
            continue;
        }
        patches.push_back({id, [shape, scale](at::Tensor& weight) {
                               const auto wave = [&](int64_t rows, int64_t columns, double step) {
                                   return at::sin(at::arange(rows * columns, at::kFloat) * step)
                                       .view({rows, columns});
                               };
                               const at::Tensor delta =
                                   at::matmul(wave(shape[0], 4, 0.7), wave(4, shape[1], 0.3));
                               weight.add_(delta.to(weight.device()), scale);
                           }});
    }
    return patches;
}

}  // namespace

class ChangedWeightsTest : public QObject {
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
                QVERIFY(node.passIsRight({0, 1, 2, 3}));
            }
            NodeRun node(one, second, policy.toStdString());
            for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
                const memory::Weight& weight =
                    second->weights[second->leaves[leaf].weights.front()];
                QVERIFY(at::equal(node.read(leaf), two.expected(*second, weight)));
            }
        }
    }

    void s09_patchesComeAndGo_data() { testing::addStreamingPolicies(); }

    /// After every change the weights are what a fresh load with these patches gives.
    void s09_patchesComeAndGo() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        for (const double scale : {0.5, 1.25, 0.0}) {
            bench.residency->setPatches(
                *tree, scale == 0 ? std::vector<Patch>() : rankFourPatches(*tree, scale));
            Bench fresh(folder_.newPath(), "cpu");
            fresh.residency->setPatches(
                *fresh.model.denoiser(),
                scale == 0 ? std::vector<Patch>() : rankFourPatches(*tree, scale));
            NodeRun node(bench, tree, policy.toStdString());
            NodeRun reference(fresh, fresh.model.denoiser(), "none");
            for (int pass = 0; pass < 2; ++pass) {
                for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
                    QVERIFY(at::equal(node.read(leaf), reference.read(leaf)));
                }
            }
            QCOMPARE(node.isRight(1), scale == 0);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s10_patchesGiveTheSameBitsResidentAndStreamed_data() {
        QTest::addColumn<int>("component");
        QTest::addColumn<QString>("storage");
        QTest::newRow("f16 and f32 files") << 0 << "f32";
        QTest::newRow("f32 file") << 1 << "f32";
        QTest::newRow("bf16 and f8 files") << 2 << "f32";
        QTest::newRow("stored as in f16 and f32 files") << 0 << "file";
        QTest::newRow("stored as f16") << 1 << "f16";
        QTest::newRow("stored as bf16") << 1 << "bf16";
    }

    void s10_patchesGiveTheSameBitsResidentAndStreamed() {
        QFETCH(int, component);
        QFETCH(QString, storage);
        Bench bench(folder_.newPath(), "fake");
        const auto tree = testing::typed(
            *bench.model.trees()[static_cast<size_t>(component)], storage.toStdString(), "f32");
        bench.residency->setPatches(*tree, rankFourPatches(*tree, 0.7));
        std::vector<at::Tensor> resident;
        for (const char* policy : testing::kPolicies) {
            NodeRun node(bench, tree, policy);
            std::vector<at::Tensor> seen;
            for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
                if (!tree->leaves[leaf].gathered) {
                    seen.push_back(node.read(leaf));
                }
            }
            resident = resident.empty() ? seen : resident;
            for (size_t i = 0; i < seen.size(); ++i) {
                QVERIFY2(at::equal(seen[i], resident[i]), policy);
            }
        }
    }

    void s09_patchesOfKeptWeightsChangeToo() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        {
            NodeRun node(bench, tree, "none,after=keep");
            QVERIFY(node.isRight(1));
        }
        bench.residency->setPatches(*tree, rankFourPatches(*tree, 1));
        {
            NodeRun node(bench, tree, "none,after=keep");
            QVERIFY(!node.isRight(1));
        }
        bench.residency->setPatches(*tree, {});
        {
            NodeRun node(bench, tree, "none,after=keep");
            QVERIFY(node.isRight(1));
        }
        bench.residency->release("all");
    }

    void s15_policiesChangeBetweenRuns() {
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        for (const char* policy :
             {"none", "leaf+stream", "none,after=keep", "sequential", "block+stream", "model"}) {
            NodeRun node(bench, bench.model.denoiser(), policy);
            QVERIFY(node.passIsRight({0, 1, 2, 3}));
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
                testing::compareWithMasters(bench, *bench.model.denoiser());
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
            QVERIFY(node.passIsRight({0, 1, 2, 3}));
        }
        const auto second = copyOf(other.denoiser(), "second");
        NodeRun node(bench, second, "none,after=keep");
        QVERIFY(at::equal(node.read(1), other.expected(*second, second->weights[2])));
    }

    /// Policies in turn, two hundred runs: nothing grows.
    void s24_nothingGrows() {
        constexpr const char* kTurns[] = {"none", "model", "leaf+stream", "sequential"};
        Bench bench(folder_.newPath(), "fake", {.scale = 8});
        Bytes settled = 0;
        for (int run = 0; run < 200; ++run) {
            bench.ledger().beginRun();
            testing::runAll(bench, bench.plan(kTurns[run % 4]));
            QCOMPARE(bench.total(), 0);
            settled = run == 39 ? bench.residency->memoryState({}).hostUsed : settled;
        }
        const Bytes grown = bench.residency->memoryState({}).hostUsed - settled;
        constexpr Bytes kNoise = 8 * kMiB;  // of the heap: 51 KiB a run, less than one large weight
        QVERIFY2(grown < kNoise, qPrintable(QString::number(grown)));
    }
};

LOWTIDE_TEST(ChangedWeightsTest)

}  // namespace changed_weights_test

#include "changed_weights_test.moc"
