#include "plugin/base/error.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/residency.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/adapted.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <utility>

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

/// A denoiser and what runs before each of its forwards, as a ControlNet does.
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
        memory::ComponentWork work{.tree = tree, .forwards = kSteps};
        for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
            work.forward.push_back({leaf, 1e6});
        }
        node.work.components.push_back(std::move(work));
    }
    for (int64_t step = 0; step < kSteps; ++step) {
        node.work.bursts.push_back({1, 1});
        node.work.bursts.push_back({0, 1});
    }
    request.nodes = {std::move(node)};
    request.devices[0].traits.capacity = capacity;
    return request;
}

void runForward(Bench& bench, const ComponentTree& tree) {
    bench.residency->beginForward(tree, {});
    testing::compareWithHostWeights(bench, tree);
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

    /// In every budget from the smallest to that which both fit into: every weight in every
    /// forward, exactly what the plan states is moved and held, nothing left.
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
        int alternating = 0;
        int inPart = 0;
        for (Bytes capacity = minimum; capacity <= both; capacity += (both - minimum) / 8) {
            const auto plan = planIn(capacity);
            const bool isTogether = plan->residencies[0].slot != plan->residencies[1].slot;
            alternating += isTogether ? 0 : 1;
            inPart += isTogether && capacity < both ? 1 : 0;
            for (int repetition = 0; repetition < 2; ++repetition) {
                runSteps(bench, networks, plan);
                QCOMPARE(bench.residency->traffic().bytesToDevice, plan->stages[0].moved);
                QCOMPARE(bench.total(), 0);
            }
        }
        QVERIFY(alternating > 0);
        QCOMPARE(inPart > 0, policy != "model");
        QCOMPARE(bench.residency->hazards().size(), size_t{0});
    }

    /// On the CPU one is copied to an arena and the other lies in its file's map: while they
    /// alternate there is space for one of them.
    void mappedAndCopiedNetworksAlternate() {
        Bench bench(folder_.newPath(), "cpu");
        const Networks networks(bench);
        memory::PlanRequest request = controlled(bench, networks, "model", kGiB);
        request.nodes[0].work.activations = 64 * kKiB;  // copies of a weight, to compare with
        const Bytes minimum = testing::planOf(request)->devices.at(0).minimum;
        request.devices[0].traits.capacity = minimum;
        const auto plan = testing::planOf(request);

        QCOMPARE(plan->residencies[0].slot, plan->residencies[1].slot);
        QVERIFY(plan->residencies[0].layout->isInPlace && !plan->residencies[1].layout->isInPlace);
        runSteps(bench, networks, plan);
        QCOMPARE(bench.total(), 0);
    }

    void nothingRemainsAfterAnyEnd_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("end");
        for (const char* policy : {"auto", "leaf+stream"}) {
            for (const auto& [name, end] :
                 {std::pair("an error before the denoiser", kErrorBefore),
                  std::pair("an error in the denoiser", kErrorWithin),
                  std::pair("a cancel before the denoiser", kCancelBefore),
                  std::pair("a cancel in the denoiser", kCancelWithin),
                  std::pair("the control alone", kControlAlone)}) {
                QTest::addRow("%s, %s", policy, name) << QString(policy) << static_cast<int>(end);
            }
        }
    }

    /// Two networks in one residency of a budget that holds a part of them, layers of an adapter
    /// composed into one: the run ends in the middle of a forward, and the next one is right.
    void nothingRemainsAfterAnyEnd() {
        QFETCH(QString, policy);
        QFETCH(int, end);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.0005});
        Networks networks(bench);
        networks.denoiser = testing::withLayers(*networks.denoiser, folder_.newPath());
        const Bytes both =
            Bench::expectedWeights(*networks.denoiser) + Bench::expectedWeights(*networks.control);
        const auto plan =
            testing::planOf(controlled(bench, networks, policy.toStdString(), both * 6 / 10));
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        runUntil(bench, networks, plan, static_cast<End>(end));
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);

        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        for (int64_t step = 0; step < kSteps; ++step) {
            runForward(bench, *networks.control);
            QVERIFY(layersAreRight(bench, *networks.denoiser, networks.denoiser->leaves.size()));
        }
        bench.residency->leave(0);
        bench.residency->end(memory::Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->traffic().bytesToDevice, plan->stages[0].moved);
        QCOMPARE(bench.residency->hazards().size(), size_t{0});
    }

private:
    enum End { kErrorBefore, kErrorWithin, kCancelBefore, kCancelWithin, kControlAlone };

    /// Of the first `count` leaves in a forward: what the network has, and the layer behind it.
    static bool layersAreRight(Bench& bench, const ComponentTree& tree, size_t count) {
        bench.residency->beginForward(tree, {});
        bool areRight = true;
        for (memory::LeafId leaf = 0; leaf < count; ++leaf) {
            const residency::Lease lease = bench.residency->use(tree, leaf);
            const memory::Weight& weight = tree.weights[tree.leaves[leaf].weights[0]];
            areRight = areRight && at::equal(lease[0].cpu(), bench.model.expected(tree, weight)) &&
                       at::equal(lease[lease.size() - 1].cpu(), testing::layerOf({}));
        }
        return areRight;
    }

    /// Two whole steps, and a part of a forward of the third one.
    static void runUntil(Bench& bench,
                         const Networks& networks,
                         const std::shared_ptr<const memory::Plan>& plan,
                         End end) {
        StopSource stop;
        bench.residency->begin(plan, stop.token());
        const auto error = testing::errorOf([&] {
            bench.residency->enter(0);
            for (int step = 0; step < 2 && end != kControlAlone; ++step) {
                runForward(bench, *networks.control);
                QVERIFY(
                    layersAreRight(bench, *networks.denoiser, networks.denoiser->leaves.size()));
            }
            const bool isWithin = end == kErrorWithin || end == kCancelWithin;
            if (isWithin || end == kControlAlone) {
                runForward(bench, *networks.control);
            }
            const ComponentTree& last = isWithin ? *networks.denoiser : *networks.control;
            bench.residency->beginForward(last, {});
            for (memory::LeafId leaf = 0; leaf < last.leaves.size() / 2; ++leaf) {
                (void)bench.residency->use(last, leaf);
            }
            if (end == kCancelBefore || end == kCancelWithin) {
                stop.cancel(CancelMode::Now);
                bench.residency->stop().throwIfStopped();
            }
            if (end != kControlAlone) {
                throw Error(ErrorKind::Internal, Message("in the middle"));
            }
        });
        QCOMPARE(error.has_value(), end != kControlAlone);
        bench.residency->leave(0);
        bench.residency->end(end == kControlAlone ? memory::Outcome::Finished
                                                  : memory::Outcome::Failed);
    }

    static void runSteps(Bench& bench,
                         const Networks& networks,
                         const std::shared_ptr<const memory::Plan>& plan) {
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        for (int64_t step = 0; step < kSteps; ++step) {
            runForward(bench, *networks.control);
            runForward(bench, *networks.denoiser);
            QVERIFY(bench.total() <= plan->stages[0].bytes[0].weights);
        }
        bench.residency->leave(0);
        bench.residency->end(memory::Outcome::Finished);
    }
};

LOWTIDE_TEST(TogetherTest)

}  // namespace together_test

#include "together_test.moc"
