#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/residency.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <QTest>

namespace together_test {

using namespace lowtide;
using memory::ComponentTree;
using testing::Bench;

constexpr int64_t kSteps = 5;

/// As many networks of the tree's kind behind one another, so that no leaf is a large part.
std::shared_ptr<const ComponentTree> longer(const std::shared_ptr<const ComponentTree>& tree,
                                            int times) {
    auto made = testing::copyOf(tree, ("long-" + tree->id).c_str());
    for (int copy = 1; copy < times; ++copy) {
        const auto storages = static_cast<memory::StorageId>(made->storages.size());
        const auto weights = static_cast<memory::WeightId>(made->weights.size());
        const auto leaves = static_cast<memory::LeafId>(made->leaves.size());
        made->storages.insert(made->storages.end(), tree->storages.begin(), tree->storages.end());
        for (memory::Weight weight : tree->weights) {
            weight.storage += storages;
            made->weights.push_back(std::move(weight));
        }
        for (memory::Leaf leaf : tree->leaves) {
            for (memory::WeightId& weight : leaf.weights) {
                weight += weights;
            }
            made->leaves.push_back(std::move(leaf));
        }
        for (memory::Block block : tree->blocks) {
            block.firstLeaf += leaves;
            made->blocks.push_back(std::move(block));
        }
    }
    return made;
}

/// A denoiser and what runs before each of its passes, as a ControlNet does.
struct Networks {
    explicit Networks(const Bench& bench)
        : denoiser(longer(bench.model.denoiser(), 12)),
          control(longer(bench.model.autoencoder(), 6)) {}

    std::shared_ptr<const ComponentTree> denoiser;
    std::shared_ptr<const ComponentTree> control;
};

memory::PlanRequest controlled(const Bench& bench,
                               const Networks& networks,
                               const std::string& policy,
                               Bytes capacity) {
    memory::PlanRequest request = bench.request(policy);
    memory::NodeWork node{.node = "denoise", .policy = memory::parsePolicy(policy)};
    node.components = {networks.denoiser, networks.control};
    for (const auto& tree : node.components) {
        memory::ComponentWork work{.tree = tree, .passes = kSteps};
        for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
            work.pass.push_back({leaf, 1e6});
        }
        node.work.components.push_back(std::move(work));
    }
    for (int64_t step = 0; step < kSteps; ++step) {
        node.work.turns.push_back({1, 1});
        node.work.turns.push_back({0, 1});
    }
    request.nodes = {std::move(node)};
    request.devices[0].traits.capacity = capacity;
    return request;
}

void runPass(Bench& bench, const ComponentTree& tree) {
    bench.residency->beginPass(tree, {});
    testing::compareWithMasters(bench, tree);
}

class TogetherTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void networksThatAlternateAreRight_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"auto", "model", "leaf", "leaf+stream"}) {
            QTest::newRow(policy) << QString(policy);
        }
    }

    /// In every budget from the smallest to that which both fit into: every weight in every pass,
    /// exactly what the plan says is moved and held, nothing left.
    void networksThatAlternateAreRight() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake");
        const Networks networks(bench);
        const Bytes both =
            Bench::expectedWeights(*networks.denoiser) + Bench::expectedWeights(*networks.control);
        const auto planIn = [&](Bytes capacity) {
            return testing::planOf(controlled(bench, networks, policy.toStdString(), capacity));
        };
        const Bytes minimum = planIn(both)->devices.at(0).minimum;
        int inTurns = 0;
        int inPart = 0;
        for (Bytes capacity = minimum; capacity <= both; capacity += (both - minimum) / 8) {
            const auto plan = planIn(capacity);
            const bool isTogether = plan->stays[0].place != plan->stays[1].place;
            inTurns += isTogether ? 0 : 1;
            inPart += isTogether && capacity < both ? 1 : 0;
            for (int repetition = 0; repetition < 2; ++repetition) {
                runSteps(bench, networks, plan);
                QCOMPARE(bench.residency->traffic().bytesToDevice, plan->stages[0].moved);
                QCOMPARE(bench.total(), 0);
            }
        }
        QVERIFY(inTurns > 0);
        QCOMPARE(inPart > 0, policy != "model");
        QCOMPARE(bench.residency->hazards().size(), size_t{0});
    }

private:
    static void runSteps(Bench& bench,
                         const Networks& networks,
                         const std::shared_ptr<const memory::Plan>& plan) {
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        for (int64_t step = 0; step < kSteps; ++step) {
            runPass(bench, *networks.control);
            runPass(bench, *networks.denoiser);
            QVERIFY(bench.weights() <= plan->stages[0].bytes[0].weights);
        }
        bench.residency->leave(0);
        bench.residency->end(memory::Outcome::Finished);
    }
};

LOWTIDE_TEST(TogetherTest)

}  // namespace together_test

#include "together_test.moc"
