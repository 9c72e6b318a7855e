// Passes that are done again from a record, on a card that is played: the same bits as computed
// ones, whatever changes between them.
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_card.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace pass_replay_test {

using namespace lowtide;
using residency::PassInputs;
using testing::SyntheticModel;

namespace {

const memory::DeviceSpec kCard{.kind = "cuda"};
constexpr int kPasses = 6;
constexpr Bytes kActivations = kMiB;

/// Two nodes that pass over the model's first component.
memory::PlanRequest requestOf(const SyntheticModel& model,
                              const char* policy,
                              int64_t passes,
                              const memory::DeviceTraits& traits) {
    const auto tree = model.trees().front();
    memory::ComponentWork work{.tree = tree, .passes = passes};
    for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
        if (!tree->leaves[leaf].gathered) {
            work.pass.push_back({.leaf = leaf});
        }
    }
    memory::PlanRequest request = model.request(policy, kCard, traits);
    request.nodes = {{"node",
                      memory::parsePolicy(policy),
                      {tree},
                      {.activations = kActivations, .components = {work}}}};
    request.nodes.push_back(request.nodes.front());
    return request;
}

/// A component of the synthetic model, computed on a played card in passes.
class Passes {
public:
    Passes(const std::string& path, const char* policy, int64_t planned = kPasses)
        : model_(path),
          compute_(std::make_shared<testing::PlayedCompute>()),
          residency_(std::make_unique<testing::PlayedSource>(compute_)),
          tree_(model_.trees().front()) {
        residency_.open(kCard);
        plan_ = testing::planOf(requestOf(model_, policy, planned, residency_.traits(kCard)));
        begin();
    }

    ~Passes() { end(); }

    Passes(const Passes&) = delete;
    Passes& operator=(const Passes&) = delete;

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
    at::Tensor pass(const at::Tensor& x) {
        residency_.beginPass(*tree_, {});
        return residency_.runPass(*tree_, {x}, [&](const PassInputs& given) {
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

    /// What pass() must give.
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

    [[nodiscard]] bool isPlanned() const { return plan_->stays.front().replays; }

    int computed = 0;      ///< calls of the work itself
    bool refuses = false;  ///< it cannot be recorded
    int failsAt = 0;
    memory::LeafId leaves = 0;  ///< that a pass uses; 0: all

private:
    SyntheticModel model_;
    std::shared_ptr<testing::PlayedCompute> compute_;
    residency::Residency residency_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::shared_ptr<const memory::Plan> plan_;
    memory::NodeIndex node_ = 0;
};

at::Tensor inputOf(int pass, at::IntArrayRef sizes = {3}) {
    return at::full(sizes, pass + 1, at::kDouble);
}

}  // namespace

class PassReplayTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void aPassIsComputedOnceAndRecordedOnce() {
        Passes passes(folder_.newPath(), "none");
        QVERIFY(passes.isPlanned());
        for (int pass = 0; pass < kPasses; ++pass) {
            const at::Tensor x = inputOf(pass);
            QVERIFY(at::equal(passes.pass(x), passes.expected(x)));
        }
        QCOMPARE(passes.computed, 2);  // the second time into the record
        QCOMPARE(passes.compute().records, 1);
        QCOMPARE(passes.compute().replays, kPasses - 1);
        QCOMPARE(passes.compute().recordedMarks, 0);  // it was given nothing then
    }

    /// Later copies wait for what is replayed, as for what is computed.
    void replaysAreUses() {
        Passes passes(folder_.newPath(), "none");
        for (int pass = 0; pass < kPasses; ++pass) {
            const int before = passes.compute().marks;
            static_cast<void>(passes.pass(inputOf(pass)));
            QVERIFY(passes.compute().marks > before);
        }
    }

    /// Weights that nobody has waited for yet are no part of a record.
    void aPassOverMoreIsComputedFirst() {
        Passes passes(folder_.newPath(), "none");
        passes.leaves = 2;
        static_cast<void>(passes.pass(inputOf(1)));
        passes.leaves = 0;
        for (int pass = 2; pass < 5; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
            QCOMPARE(passes.compute().records, pass == 2 ? 0 : 1);
        }
    }

    void resultsOutliveTheNextPass() {
        Passes passes(folder_.newPath(), "none");
        std::vector<at::Tensor> results;
        for (int pass = 0; pass < kPasses; ++pass) {
            results.push_back(passes.pass(inputOf(pass)));
        }
        for (int pass = 0; pass < kPasses; ++pass) {
            QVERIFY(at::equal(results[static_cast<size_t>(pass)], passes.expected(inputOf(pass))));
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
        Passes passes(folder_.newPath(), qPrintable(policy));
        QVERIFY(!passes.isPlanned());
        for (int pass = 0; pass < kPasses; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        QCOMPARE(passes.compute().records, 0);
    }

    void otherShapesAreComputed() {
        Passes passes(folder_.newPath(), "none");
        for (int pass = 0; pass < 3; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        const int before = passes.computed;
        const at::Tensor wide = inputOf(7, {2, 5});
        QVERIFY(at::equal(passes.pass(wide), passes.expected(wide)));
        const at::Tensor turned = inputOf(8, {3, 2}).select(1, 0);
        QVERIFY(!turned.is_contiguous());
        QVERIFY(at::equal(passes.pass(turned), passes.expected(turned)));
        QCOMPARE(passes.computed, before + 2);
        QVERIFY(at::equal(passes.pass(inputOf(9)), passes.expected(inputOf(9))));
        QCOMPARE(passes.computed, before + 2);
    }

    void whatCannotBeRecordedIsComputed() {
        Passes passes(folder_.newPath(), "none");
        passes.refuses = true;
        for (int pass = 0; pass < kPasses; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        QCOMPARE(passes.computed, kPasses + 1);  // it was tried once
        QCOMPARE(passes.compute().replays, 0);
        // Nothing was computed with what could not be had.
        QCOMPARE(passes.compute().failures, int64_t{1});
        passes.engine().confirm(0);
    }

    void fewPassesAreComputed() {
        Passes passes(folder_.newPath(), "none", 3);
        QVERIFY(!passes.isPlanned());
        QVERIFY(Passes(folder_.newPath(), "none", 4).isPlanned());
    }

    /// A record keeps the memory of a pass beside what its node computes otherwise.
    void aRecordNeedsRoom() {
        const SyntheticModel model(folder_.newPath());
        memory::DeviceTraits traits{.capacity = kGiB, .replays = true, .workspace = 8 * kKiB};
        const auto roomy = testing::planOf(requestOf(model, "none", kPasses, traits));
        QVERIFY(roomy->stays.front().replays);
        const memory::StageBytes& bytes = roomy->stages.front().bytes.front();
        QCOMPARE(bytes.activations, 2 * kActivations + traits.workspace);
        traits.capacity = bytes.total();
        QVERIFY(testing::planOf(requestOf(model, "none", kPasses, traits))->stays.front().replays);
        --traits.capacity;
        const auto tight = testing::planOf(requestOf(model, "none", kPasses, traits));
        QVERIFY(!tight->stays.front().replays);
        QCOMPARE(tight->stages.front().bytes.front().activations, kActivations);
        QCOMPARE(tight->devices.front().minimum, roomy->devices.front().minimum);
    }

    /// A cancel, say: it is not hidden, and the next pass is right.
    void whatFailsWhileItIsRecordedIsTold() {
        Passes passes(folder_.newPath(), "none");
        passes.failsAt = 2;
        QVERIFY(at::equal(passes.pass(inputOf(0)), passes.expected(inputOf(0))));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, static_cast<void>(passes.pass(inputOf(1))));
        for (int pass = 0; pass < kPasses; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        QCOMPARE(passes.compute().records, 1);
    }

    void afterAFailureUsesAreNotedAgain() {
        Passes passes(folder_.newPath(), "none");
        passes.failsAt = 2;
        static_cast<void>(passes.pass(inputOf(0)));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, static_cast<void>(passes.pass(inputOf(1))));
        const int before = passes.compute().marks;
        static_cast<void>(passes.pass(inputOf(2)));
        QVERIFY(passes.compute().marks > before);
        QCOMPARE(passes.compute().recordedMarks, 0);
    }

    void theNextNodeRecordsItsOwn() {
        Passes passes(folder_.newPath(), "none");
        for (int node = 1; node <= 2; ++node) {
            for (int pass = 0; pass < kPasses; ++pass) {
                QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
            }
            QCOMPARE(passes.compute().records, node);
            QCOMPARE(passes.computed, 2 * node);
            if (node == 1) {
                passes.nextNode();
            }
        }
    }

    /// A record is a node's own: in the next run the weights may lie elsewhere.
    void aRecordEndsWithItsNode() {
        Passes passes(folder_.newPath(), "none");
        for (int run = 1; run <= 3; ++run) {
            for (int pass = 0; pass < kPasses; ++pass) {
                QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
            }
            QCOMPARE(passes.compute().records, run);
            passes.end();
            QCOMPARE(passes.engine().allocatedOn(kCard), Bytes{0});
            passes.begin();
        }
    }

    void aComponentThatLeftIsComputedAnew() {
        Passes passes(folder_.newPath(), "none");
        for (int pass = 0; pass < 3; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        const int before = passes.computed;
        QVERIFY(passes.engine().offload("all", false) > 0);
        for (int pass = 0; pass < 3; ++pass) {
            QVERIFY(at::equal(passes.pass(inputOf(pass)), passes.expected(inputOf(pass))));
        }
        QCOMPARE(passes.computed, before + 2);
        QCOMPARE(passes.compute().records, 2);
    }
};

LOWTIDE_TEST(PassReplayTest)

}  // namespace pass_replay_test

#include "pass_replay_test.moc"
