// The cases on which offloading systems broke, by name. Numbers are those of the list of sharp
// tests in docs/memory.md.
#include "plugin/base/error.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <random>

using namespace lowtide;
using memory::ComponentTree;
using memory::LeafId;
using memory::Outcome;
using residency::Patch;
using testing::Bench;

namespace {

constexpr const char* kStreaming[] = {
    "sequential", "leaf", "leaf+stream", "leaf+stream,budget=1KiB", "block:1+stream"};

/// A run of one node with one component.
class NodeRun {
public:
    NodeRun(Bench& bench, std::shared_ptr<const ComponentTree> tree, const std::string& policy)
        : bench_(bench), tree_(std::move(tree)) {
        memory::PlanRequest request = bench.request(policy);
        request.nodes = {{"node", memory::parsePolicy(policy), {tree_}}};
        bench.residency->begin(testing::planOf(request), {});
        bench.residency->enter(0);
    }

    ~NodeRun() {
        bench_.residency->leave(0);
        bench_.residency->end(Outcome::Finished);
    }

    void beginPass(const memory::PassHint& hint = {}) { bench_.residency->beginPass(*tree_, hint); }

    /// Whether the leaf's weights are those of the file.
    bool isRight(LeafId leaf) {
        const residency::Lease lease = bench_.residency->use(*tree_, leaf);
        for (size_t i = 0; i < lease.size(); ++i) {
            const memory::Weight& weight = tree_->weights[tree_->leaves[leaf].weights[i]];
            if (!at::equal(lease[i].cpu(), bench_.model.expected(*tree_, weight))) {
                return false;
            }
        }
        return true;
    }

    at::Tensor read(LeafId leaf) { return bench_.residency->use(*tree_, leaf)[0].cpu(); }

    bool passIsRight(const std::vector<LeafId>& leaves, const memory::PassHint& hint = {}) {
        beginPass(hint);
        return std::all_of(
            leaves.begin(), leaves.end(), [&](LeafId leaf) { return isRight(leaf); });
    }

private:
    Bench& bench_;
    std::shared_ptr<const ComponentTree> tree_;
};

std::shared_ptr<ComponentTree> copyOf(const std::shared_ptr<const ComponentTree>& tree,
                                      const char* id) {
    auto copy = std::make_shared<ComponentTree>(*tree);
    copy->id = id;
    return copy;
}

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

class StreamedWeightsTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

    void addPolicies() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : kStreaming) {
            QTest::newRow(policy) << QString(policy);
        }
    }

private Q_SLOTS:

    void s01_tiedWeightsOfNeighbours_data() { addPolicies(); }

    void s01_tiedWeightsOfNeighbours() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        auto tree = copyOf(bench.model.textEncoder(), "tied");
        std::swap(tree->leaves[2], tree->leaves[3]);  // both users of the tied weight side by side
        for (int run = 0; run < 3; ++run) {
            NodeRun node(bench, tree, policy.toStdString());
            QVERIFY(node.passIsRight({1, 2, 3}) && node.passIsRight({1, 2, 3}));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s02_aTiedLeafThatNeverRuns_data() { addPolicies(); }

    void s02_aTiedLeafThatNeverRuns() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.textEncoder(), policy.toStdString());
        for (int pass = 0; pass < 3; ++pass) {
            QVERIFY(node.passIsRight({1, 2}));
        }
        QVERIFY(bench.weights() <=
                testing::planOf(bench.request(policy.toStdString()))->devices[0].peakWeights);
    }

    void s03_aLeafThatIsCalledTwice_data() { addPolicies(); }

    void s03_aLeafThatIsCalledTwice() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        for (int pass = 0; pass < 3; ++pass) {
            QVERIFY(node.passIsRight({0, 1, 0, 2, 3}));
        }
        QVERIFY(bench.residency->traffic().copies <=
                3 * (5 + 2));  // the first leaf has two storages
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s04_aLeafThatIsMissingInTheFirstPass() {
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), "leaf+stream,budget=1KiB");
        QVERIFY(node.passIsRight({0, 1, 3}));
        QVERIFY(node.passIsRight({0, 1, 3}));
        const int64_t before = bench.residency->traffic().misses;
        QVERIFY(node.passIsRight({0, 1, 2, 3}));
        QCOMPARE(bench.residency->traffic().misses - before, 1);
        QVERIFY(node.passIsRight({0, 1, 2, 3}));
        QVERIFY(bench.residency->traffic().misses - before <= 2);
    }

    void s05_anyOrderGivesTheSameBits_data() { addPolicies(); }

    void s05_anyOrderGivesTheSameBits() {
        QFETCH(QString, policy);
        std::mt19937 random(3);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        std::vector<LeafId> order = {0, 1, 2, 3};
        for (int pass = 0; pass < 20; ++pass) {
            std::shuffle(order.begin(), order.end(), random);
            QVERIFY(node.passIsRight(order));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s06_stateSurvives_data() { addPolicies(); }

    /// A counter that the network writes: it must not start anew whenever its weights come again,
    /// nor when the component leaves between two nodes.
    void s06_stateSurvives() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        auto tree = copyOf(bench.model.denoiser(), "stateful");
        tree->weights[3].kind = memory::WeightKind::StateBuffer;  // odd.weight
        memory::PlanRequest request = bench.request(policy.toStdString());
        request.nodes.clear();
        for (const char* name : {"one", "two"}) {
            request.nodes.push_back({name, memory::parsePolicy(policy.toStdString()), {tree}});
            request.nodes.push_back({"between", {}, {bench.model.autoencoder()}});
        }
        bench.residency->begin(testing::planOf(request), {});
        const at::Tensor before = bench.model.expected(*tree, tree->weights[3]);
        for (memory::NodeIndex node = 0; node < 4; node += 2) {
            bench.residency->enter(node);
            for (int step = 0; step < 2; ++step) {
                bench.residency->beginPass(*tree, {});
                for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
                    const residency::Lease lease = bench.residency->use(*tree, leaf);
                    if (leaf == 2) {
                        at::Tensor counter = lease[0];
                        counter.add_(1.0);
                    }
                }
            }
            bench.residency->leave(node);
        }
        bench.residency->enter(2);
        const at::Tensor after = bench.residency->use(*tree, 2)[0].cpu();
        QVERIFY(at::equal(after, before + 1 + 1 + 1 + 1));
        bench.residency->leave(2);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
    }

    void s07_leavesWithoutWeights() {
        Bench bench(folder_.newPath(), "fake");
        auto tree = copyOf(bench.model.denoiser(), "empty leaf");
        tree->leaves.push_back({"nothing", {}});
        NodeRun node(bench, tree, "leaf+stream");
        QVERIFY(node.passIsRight({0, 1, 4, 2, 3, 4}));
    }

    void s09_patchesComeAndGo_data() { addPolicies(); }

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
        QTest::newRow("f16 and f32 files") << 0;
        QTest::newRow("f32 file") << 1;
        QTest::newRow("bf16 and f8 files") << 2;
    }

    void s10_patchesGiveTheSameBitsResidentAndStreamed() {
        QFETCH(int, component);
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.trees()[static_cast<size_t>(component)];
        bench.residency->setPatches(*tree, rankFourPatches(*tree, 0.7));
        std::vector<at::Tensor> resident;
        for (const char* policy : {"none", "model", "sequential", "leaf+stream", "block+stream"}) {
            NodeRun node(bench, tree, policy);
            std::vector<at::Tensor> seen;
            for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
                if (!tree->leaves[leaf].gathered) {
                    seen.push_back(node.read(leaf));
                }
            }
            resident = resident.empty() ? seen : resident;
            for (size_t i = 0; i < seen.size(); ++i) {
                QVERIFY(at::equal(seen[i], resident[i]));
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

    void s13_nestedLeases() {
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        NodeRun node(bench, tree, "leaf+stream,budget=64KiB");
        for (int pass = 0; pass < 3; ++pass) {
            node.beginPass();
            const residency::Lease outer = bench.residency->use(*tree, 0);
            const at::Tensor expected = bench.model.expected(*tree, tree->weights[0]);
            for (const LeafId inner : {1u, 2u, 3u}) {
                QVERIFY(at::equal(outer[0].cpu(), expected));
                try {
                    QVERIFY(node.isRight(inner));
                } catch (const Error& error) {
                    QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
                }
            }
            QVERIFY(at::equal(outer[0].cpu(), expected));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s14_aHintEvictsNothingThatIsLeased() {
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        NodeRun node(bench, tree, "leaf+stream,budget=1KiB");
        node.beginPass();
        const residency::Lease lease = bench.residency->use(*tree, 0);
        for (LeafId leaf = 0; leaf < 4; ++leaf) {
            bench.residency->hint(*tree, leaf);
        }
        QVERIFY(at::equal(lease[0].cpu(), bench.model.expected(*tree, tree->weights[0])));
        QCOMPARE(bench.residency->hazards().size(), 0u);
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

    void s18_aPartialPassBringsWhatItUses() {
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), "leaf+stream,budget=1KiB");
        const std::vector<LeafId> full = {0, 1, 2, 3};
        for (int step = 0; step < 4; ++step) {
            QVERIFY(node.passIsRight(full, {.pattern = 0, .next = 1}));
            QVERIFY(node.passIsRight({0, 3}, {.pattern = 1, .next = 0}));
        }
        const Bytes before = bench.residency->traffic().bytesToDevice;
        QVERIFY(node.passIsRight(full, {.pattern = 0, .next = 1}));
        QVERIFY(node.passIsRight({0, 3}, {.pattern = 1, .next = 0}));
        const ComponentTree& tree = *bench.model.denoiser();
        const Bytes partial = tree.deviceBytes(0) + tree.deviceBytes(1) + tree.deviceBytes(4);
        QVERIFY(bench.residency->traffic().bytesToDevice - before <=
                tree.deviceBytes() + partial + tree.deviceBytes(0) + tree.deviceBytes(1));
    }

    void s20_addressesAreAligned_data() { addPolicies(); }

    void s20_addressesAreAligned() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
            const residency::Lease lease = bench.residency->use(*bench.model.denoiser(), leaf);
            for (size_t i = 0; i < lease.size(); ++i) {
                const auto address = reinterpret_cast<uintptr_t>(lease[i].const_data_ptr());
                QCOMPARE(address % static_cast<uintptr_t>(memory::kSlotAlignment), uintptr_t{0});
                QVERIFY(lease[i].is_contiguous());
            }
        }
    }
};

QTEST_GUILESS_MAIN(StreamedWeightsTest)
#include "streamed_weights_test.moc"
