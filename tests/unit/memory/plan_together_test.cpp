#include "plugin/memory/plan_layouts.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/stream_clock.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/plan_bench.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <limits>
#include <optional>

namespace plan_together_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

/// Space is tried in steps when the optimum is looked for, and copies come leaf by leaf.
constexpr double kNearOptimum = 1.05;
constexpr Bytes kStep = 4 * kSlotAlignment;

/// A network alone, with the fastest layout in `space`; nothing where it does not fit.
std::optional<StagePlan> aloneIn(const PlanRequest& request, size_t component, Bytes space) {
    const NodeWork& node = request.nodes[1];
    const ComponentWork& work = node.work.components[component];
    PlanRequest alone = request;
    NodeWork& only = alone.nodes[1];
    only.components = {node.components[component]};
    only.work.components = {work};
    only.work.bursts.clear();
    alone.nodes = {only};
    alone.devices[0].traits.capacity = space;
    const auto answer = makePlan(alone);
    const Plan* plan = std::get_if<Plan>(&answer);
    return plan ? std::optional(plan->stages[0]) : std::nullopt;
}

/// The shortest time of all ways to divide `space`, and the fewest bytes.
struct Optimum {
    Seconds seconds = std::numeric_limits<Seconds>::infinity();
    Bytes moved = std::numeric_limits<Bytes>::max();
};

Optimum optimumIn(const PlanRequest& request, Bytes space) {
    Optimum best;
    for (Bytes first = kStep; first < space; first += kStep) {
        const auto one = aloneIn(request, 0, first);
        const auto other = aloneIn(request, 1, space - first);
        if (one && other) {
            best.seconds = std::min(best.seconds, one->seconds + other->seconds);
            best.moved = std::min(best.moved, one->moved + other->moved);
        }
    }
    return best;
}

class PlanTogetherTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void networksThatAlternateShareMemory_data() {
        QTest::addColumn<int>("percent");
        for (const int percent : {35, 45, 60, 75, 90}) {
            QTest::addRow("%d %%", percent) << percent;
        }
    }

    void networksThatAlternateShareMemory() {
        QFETCH(int, percent);
        const auto denoiser = unevenLeaves(30);
        const auto control = unevenLeaves(14);
        PlanRequest request = controlled("auto", denoiser, control);
        const Bytes capacity = (bytesOf(denoiser) + bytesOf(control)) * percent / 100;
        request.devices[0].traits.capacity = capacity;

        const Plan plan = planOf(request);

        const PlannedResidency& first = plan.residencies.at(1);
        const PlannedResidency& second = plan.residencies.at(2);
        QVERIFY(!first.alternates && !second.alternates);
        QVERIFY(first.slot != second.slot);
        QVERIFY(first.layout->bytes() + second.layout->bytes() <= capacity);
        QCOMPARE(onFake(plan, 1).weights, first.layout->bytes() + second.layout->bytes());
        const Optimum best = optimumIn(request, capacity);
        const StagePlan& stage = plan.stages.at(1);
        qInfo("%.6f s, %.6f s at best; %lld bytes, %lld at best",
              stage.seconds,
              best.seconds,
              static_cast<long long>(stage.moved),
              static_cast<long long>(best.moved));
        QVERIFY(stage.seconds <= kNearOptimum * best.seconds);
        QVERIFY(static_cast<double>(stage.moved) <= kNearOptimum * static_cast<double>(best.moved));
    }

    void whatFitsWholeComesOnce() {
        const auto denoiser = unevenLeaves(30);
        const auto control = unevenLeaves(14);
        const Bytes both = bytesOf(denoiser) + bytesOf(control);
        for (const char* policy : {"auto", "model"}) {
            PlanRequest request = controlled(policy, denoiser, control);
            request.devices[0].traits.capacity = both;
            QCOMPARE(planOf(request).stages.at(1).moved, both);
            request.devices[0].traits.capacity = kCapacity;
            QCOMPARE(planOf(request).stages.at(1).moved, both);
        }
    }

    void theyAlternateWhereTheyDoNotFitTogether() {
        const auto denoiser = unevenLeaves(30);
        const auto control = unevenLeaves(14);
        PlanRequest request = controlled("model", denoiser, control);
        request.devices[0].traits.capacity = bytesOf(denoiser) + bytesOf(control) - 1;

        const Plan plan = planOf(request);

        QVERIFY(plan.residencies.at(1).alternates && plan.residencies.at(2).alternates);
        QCOMPARE(plan.stages.at(1).moved, kSteps * (bytesOf(denoiser) + bytesOf(control)));
        QCOMPARE(plan.devices.at(0).minimum, bytesOf(denoiser));
    }

    /// What is refused, and the smallest budget, are those of alternation.
    void spaceForTheLargestLeafIsEnough() {
        PlanRequest request = controlled("leaf", {256, 256, 256}, {128, 128});
        request.nodes = {request.nodes[1]};
        request.devices[0].traits.capacity = 4 * (256 + 128);
        QVERIFY(!planOf(request).residencies.at(0).alternates);
        request.devices[0].traits.capacity = 4 * 256;
        const Plan tight = planOf(request);
        QVERIFY(tight.residencies.at(0).alternates);
        QCOMPARE(tight.devices.at(0).minimum, Bytes{4 * 256});
        request.devices[0].traits.capacity = 4 * 256 - 1;
        QVERIFY(std::holds_alternative<Infeasible>(makePlan(request)));
    }

    /// A network of few forwards gains little from what remains.
    void spaceGoesWhereItSavesMost() {
        const std::vector<int64_t> leaves(20, 128);
        PlanRequest request = controlled("auto", leaves, leaves, 2);
        request.devices[0].traits.capacity = bytesOf(leaves) * 5 / 4;

        const Plan plan = planOf(request);

        QVERIFY(!plan.residencies.at(1).alternates);
        QVERIFY(plan.residencies.at(1).layout->residentBytes >
                3 * plan.residencies.at(2).layout->bytes());
        const Optimum best = optimumIn(request, request.devices[0].traits.capacity);
        QVERIFY(plan.stages.at(1).seconds <= kNearOptimum * best.seconds);
    }

    void networksInOrderKeepOneSlot() {
        PlanRequest request = controlled("auto", unevenLeaves(30), unevenLeaves(14));
        request.nodes[1].work.bursts = {{1, kSteps}, {0, kSteps}};
        request.devices[0].traits.capacity = bytesOf(unevenLeaves(30));
        const Plan plan = planOf(request);
        QCOMPARE(plan.residencies.at(1).slot, plan.residencies.at(2).slot);
    }

    /// Predictions within a thousandth are equal.
    void ofEquallyFastChoicesTheOneThatMovesLeastIsBest() {
        QCOMPARE(bestChoice({{1, 10}, {1.0005, 5}, {1.1, 0}}), size_t{1});
        QCOMPARE(bestChoice({{1.0005, 5}, {1, 10}, {1.0005, 5}}), size_t{0});
        QCOMPARE(bestChoice({{2, 1}, {1, 10}}), size_t{1});
    }

    void spaceIsSharedInProportion_whereNobodyWaits() {
        const SpaceClaim idle{.least = 10, .most = 110, .copies = 1, .hidden = 2, .forwards = 5};
        const std::vector<Bytes> fractions = divideSpace({idle, idle}, 120);
        QCOMPARE(fractions, std::vector<Bytes>({60, 60}));
        QCOMPARE(divideSpace({idle, idle}, 20), std::vector<Bytes>({10, 10}));
        QCOMPARE(divideSpace({idle, idle}, 1000), std::vector<Bytes>({110, 110}));
        QCOMPARE(divideSpace({}, 1000), std::vector<Bytes>());
    }

    void spaceGoesFirstToWhoWaitsForCopies() {
        const SpaceClaim idle{.least = 10, .most = 110, .copies = 1, .hidden = 2, .forwards = 5};
        const SpaceClaim waiting{
            .least = 10, .most = 110, .copies = 10, .hidden = 4, .forwards = 5};
        QCOMPARE(divideSpace({idle, waiting}, 80), std::vector<Bytes>({10, 70}));
        QCOMPARE(divideSpace({waiting, waiting}, 80), std::vector<Bytes>({40, 40}));
        SpaceClaim rare = waiting;
        rare.forwards = 1;
        QCOMPARE(divideSpace({rare, waiting}, 80), std::vector<Bytes>({10, 70}));
    }
};

LOWTIDE_TEST(PlanTogetherTest)

}  // namespace plan_together_test

#include "plan_together_test.moc"
