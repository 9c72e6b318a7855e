// Forwards that are replayed from a record, on a GPU that is played: the same bits as computed
// ones, whatever changes between them.
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_gpu.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace forward_replay_test {

using namespace lowtide;
using residency::ForwardInputs;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kGpu{.kind = "cuda"};
constexpr int kForwards = 6;
constexpr Bytes kActivations = kMiB;

/// Two nodes that run the model's first component.
memory::PlanRequest requestOf(const SyntheticModel& model,
                              const char* policy,
                              int64_t forwards,
                              const memory::DeviceTraits& traits) {
    const auto tree = model.trees().front();
    memory::ComponentWork work{.tree = tree, .forwards = forwards};
    for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
        if (!tree->leaves[leaf].gathered) {
            work.forward.push_back({.leaf = leaf});
        }
    }
    memory::PlanRequest request = model.request(policy, kGpu, traits);
    request.nodes = {{"node",
                      memory::parsePolicy(policy),
                      {tree},
                      {.activations = kActivations, .components = {work}}}};
    request.nodes.push_back(request.nodes.front());
    return request;
}

/// A component of the synthetic model, computed on a played GPU in forwards.
class Forwards {
public:
    Forwards(const std::string& path, const char* policy, int64_t planned = kForwards)
        : model_(path),
          compute_(std::make_shared<testing::PlayedCompute>()),
          residency_(std::make_unique<testing::PlayedSource>(compute_)),
          tree_(model_.trees().front()) {
        residency_.open(kGpu);
        plan_ = testing::planOf(requestOf(model_, policy, planned, residency_.traits(kGpu)));
        begin();
    }

    ~Forwards() { end(); }

    Forwards(const Forwards&) = delete;
    Forwards& operator=(const Forwards&) = delete;

    void begin() {
        residency_.begin(plan_, {});
        residency_.enter(0);
        node_ = 0;
    }

    /// The same component goes on in the next node.
    void nextNode() {
        residency_.leave(node_);
        residency_.enter(++node_);
    }

    void end() {
        residency_.leave(node_);
        residency_.end(memory::Outcome::Finished);
    }

    /// The sum of every weight times the sum of `x`, as compute is given it: [sizes of x].
    at::Tensor forward(const at::Tensor& x) {
        residency_.beginForward(*tree_, {});
        return residency_.runForward(*tree_, {x}, [&](const ForwardInputs& given) {
            ++computed;
            const at::Tensor result = at::empty_like(given[0]);
            compute_->give([result] { result.zero_(); });
            for (memory::LeafId leaf = 0; leaf < tree_->leaves.size(); ++leaf) {
                if (tree_->leaves[leaf].gathered || (leaves > 0 && leaf >= leaves)) {
                    continue;
                }
                const residency::Lease lease = residency_.use(*tree_, leaf);
                for (size_t i = 0; i < lease.size(); ++i) {
                    compute_->give([weight = lease[i], input = given[0], result] {
                        result.add_(input * weight.to(at::kDouble).sum());
                    });
                }
            }
            if (refuses) {
                compute_->refuse();
            }
            if (failsAt == computed) {
                throw std::runtime_error("failed on the way");
            }
            return result;
        });
    }

    /// What forward() must give.
    [[nodiscard]] at::Tensor expected(const at::Tensor& x) {
        at::Tensor result = at::zeros_like(x);
        for (const memory::Leaf& leaf : tree_->leaves) {
            for (const memory::WeightId id : leaf.weights) {
                if (!leaf.gathered) {
                    const memory::Weight& weight = tree_->weights[id];
                    result.add_(x * model_.expected(*tree_, weight).to(at::kDouble).sum());
                }
            }
        }
        return result;
    }

    [[nodiscard]] const testing::PlayedCompute& compute() const { return *compute_; }

    [[nodiscard]] residency::Residency& engine() { return residency_; }

    [[nodiscard]] const memory::ComponentTree& tree() const { return *tree_; }

    [[nodiscard]] bool isPlanned() const { return plan_->residencies.front().replays; }

    int computed = 0;      ///< calls of the work itself
    bool refuses = false;  ///< it cannot be recorded
    int failsAt = 0;
    memory::LeafId leaves = 0;  ///< that a forward uses; 0: all

private:
    SyntheticModel model_;
    std::shared_ptr<testing::PlayedCompute> compute_;
    residency::Residency residency_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::shared_ptr<const memory::Plan> plan_;
    memory::NodeIndex node_ = 0;
};

at::Tensor inputOf(int forward, at::IntArrayRef sizes = {3}) {
    return at::full(sizes, forward + 1, at::kDouble);
}

}  // namespace

class ForwardReplayTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void aForwardIsComputedOnceAndRecordedOnce() {
        Forwards forwards(folder_.newPath(), "none");
        QVERIFY(forwards.isPlanned());
        for (int forward = 0; forward < kForwards; ++forward) {
            const at::Tensor x = inputOf(forward);
            QVERIFY(at::equal(forwards.forward(x), forwards.expected(x)));
        }
        QCOMPARE(forwards.computed, 2);  // the second time into the record
        QCOMPARE(forwards.compute().records, 1);
        QCOMPARE(forwards.compute().replays, kForwards - 1);
        QCOMPARE(forwards.compute().recordedMarks, 0);  // it was given nothing then
    }

    /// Later copies wait for what is replayed, as for what is computed.
    void replaysAreUses() {
        Forwards forwards(folder_.newPath(), "none");
        for (int forward = 0; forward < kForwards; ++forward) {
            const int before = forwards.compute().marks;
            static_cast<void>(forwards.forward(inputOf(forward)));
            QVERIFY(forwards.compute().marks > before);
        }
    }

    /// Weights that nobody has waited for yet are no part of a record.
    void aForwardOverMoreIsComputedFirst() {
        Forwards forwards(folder_.newPath(), "none");
        forwards.leaves = 2;
        static_cast<void>(forwards.forward(inputOf(1)));
        forwards.leaves = 0;
        for (int forward = 2; forward < 5; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
            QCOMPARE(forwards.compute().records, forward == 2 ? 0 : 1);
        }
    }

    void resultsOutliveTheNextForward() {
        Forwards forwards(folder_.newPath(), "none");
        std::vector<at::Tensor> results;
        for (int forward = 0; forward < kForwards; ++forward) {
            results.push_back(forwards.forward(inputOf(forward)));
        }
        for (int forward = 0; forward < kForwards; ++forward) {
            QVERIFY(at::equal(results[static_cast<size_t>(forward)],
                              forwards.expected(inputOf(forward))));
        }
    }

    void whatMovesIsComputed_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"leaf", "leaf+stream", "block+stream", "sequential"}) {
            QTest::newRow(policy) << policy;
        }
    }

    void whatMovesIsComputed() {
        QFETCH(QString, policy);
        Forwards forwards(folder_.newPath(), qPrintable(policy));
        QVERIFY(!forwards.isPlanned());
        for (int forward = 0; forward < kForwards; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        QCOMPARE(forwards.compute().records, 0);
    }

    void otherShapesAreComputed() {
        Forwards forwards(folder_.newPath(), "none");
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        const int before = forwards.computed;
        const at::Tensor wide = inputOf(7, {2, 5});
        QVERIFY(at::equal(forwards.forward(wide), forwards.expected(wide)));
        const at::Tensor transposed = inputOf(8, {3, 2}).select(1, 0);
        QVERIFY(!transposed.is_contiguous());
        QVERIFY(at::equal(forwards.forward(transposed), forwards.expected(transposed)));
        QCOMPARE(forwards.computed, before + 2);
        QVERIFY(at::equal(forwards.forward(inputOf(9)), forwards.expected(inputOf(9))));
        QCOMPARE(forwards.computed, before + 2);
    }

    void whatCannotBeRecordedIsComputed() {
        Forwards forwards(folder_.newPath(), "none");
        forwards.refuses = true;
        for (int forward = 0; forward < kForwards; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        QCOMPARE(forwards.computed, kForwards + 1);  // it was tried once
        QCOMPARE(forwards.compute().replays, 0);
        // Nothing was computed with what could not be had.
        QCOMPARE(forwards.compute().failures, int64_t{1});
        forwards.engine().confirm(0);
    }

    void fewForwardsAreComputed() {
        Forwards forwards(folder_.newPath(), "none", 3);
        QVERIFY(!forwards.isPlanned());
        QVERIFY(Forwards(folder_.newPath(), "none", 4).isPlanned());
    }

    /// A record keeps the memory of a forward in addition to what its node computes otherwise.
    void aRecordNeedsSpace() {
        const SyntheticModel model(folder_.newPath());
        memory::DeviceTraits traits{.capacity = kGiB, .replays = true, .workspace = 8 * kKiB};
        const auto roomy = testing::planOf(requestOf(model, "none", kForwards, traits));
        QVERIFY(roomy->residencies.front().replays);
        const memory::StageBytes& bytes = roomy->stages.front().bytes.front();
        QCOMPARE(bytes.activations, 2 * kActivations + traits.workspace);
        traits.capacity = bytes.total();
        QVERIFY(testing::planOf(requestOf(model, "none", kForwards, traits))
                    ->residencies.front()
                    .replays);
        --traits.capacity;
        const auto tight = testing::planOf(requestOf(model, "none", kForwards, traits));
        QVERIFY(!tight->residencies.front().replays);
        QCOMPARE(tight->stages.front().bytes.front().activations, kActivations);
        QCOMPARE(tight->devices.front().minimum, roomy->devices.front().minimum);
    }

    /// A cancel, for example: it is not hidden, and the next forward is right.
    void whatFailsWhileItIsRecordedIsReported() {
        Forwards forwards(folder_.newPath(), "none");
        forwards.failsAt = 2;
        QVERIFY(at::equal(forwards.forward(inputOf(0)), forwards.expected(inputOf(0))));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 static_cast<void>(forwards.forward(inputOf(1))));
        for (int forward = 0; forward < kForwards; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        QCOMPARE(forwards.compute().records, 1);
    }

    void afterAFailureUsesAreNotedAgain() {
        Forwards forwards(folder_.newPath(), "none");
        forwards.failsAt = 2;
        static_cast<void>(forwards.forward(inputOf(0)));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 static_cast<void>(forwards.forward(inputOf(1))));
        const int before = forwards.compute().marks;
        static_cast<void>(forwards.forward(inputOf(2)));
        QVERIFY(forwards.compute().marks > before);
        QCOMPARE(forwards.compute().recordedMarks, 0);
    }

    void theNextNodeRecordsItsOwn() {
        Forwards forwards(folder_.newPath(), "none");
        for (int node = 1; node <= 2; ++node) {
            for (int forward = 0; forward < kForwards; ++forward) {
                QVERIFY(at::equal(forwards.forward(inputOf(forward)),
                                  forwards.expected(inputOf(forward))));
            }
            QCOMPARE(forwards.compute().records, node);
            QCOMPARE(forwards.computed, 2 * node);
            if (node == 1) {
                forwards.nextNode();
            }
        }
    }

    /// A record is a node's own: in the next run the weights may lie elsewhere.
    void aRecordEndsWithItsNode() {
        Forwards forwards(folder_.newPath(), "none");
        for (int run = 1; run <= 3; ++run) {
            for (int forward = 0; forward < kForwards; ++forward) {
                QVERIFY(at::equal(forwards.forward(inputOf(forward)),
                                  forwards.expected(inputOf(forward))));
            }
            QCOMPARE(forwards.compute().records, run);
            forwards.end();
            QCOMPARE(forwards.engine().allocatedOn(kGpu), Bytes{0});
            forwards.begin();
        }
    }

    void aComponentThatLeftIsComputedAgain() {
        Forwards forwards(folder_.newPath(), "none");
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        const int before = forwards.computed;
        QVERIFY(forwards.engine().offload("all", false) > 0);
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(
                at::equal(forwards.forward(inputOf(forward)), forwards.expected(inputOf(forward))));
        }
        QCOMPARE(forwards.computed, before + 2);
        QCOMPARE(forwards.compute().records, 2);
    }
};

LOWTIDE_TEST(ForwardReplayTest)

}  // namespace forward_replay_test

#include "forward_replay_test.moc"
