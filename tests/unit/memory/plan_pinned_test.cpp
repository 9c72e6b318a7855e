// What is pinned in host memory: to the end of a run, for the next one, and not beyond the host.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/plan_bench.hpp"

#include <QtTest/QtTest>

#include <cmath>
#include <string>

namespace plan_pinned_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

namespace {

constexpr Bytes kStreamed = 4 * kDenoiser;

const StageBytes& onHost(const Plan& plan, size_t stage) {
    return plan.stages.at(stage).bytes.at(1);
}

/// A pipeline whose denoiser streams and may be pinned whole.
PlanRequest pinning() {
    PlanRequest request = pipeline("none", "leaf", "none");
    request.devices[0].traits.pinnable = kCapacity;
    return request;
}

/// The same after a run that left `bytes` pinned for the component.
PlanRequest after(PlanRequest request, const std::string& tree, Bytes bytes) {
    request.pinned.push_back({.tree = tree, .device = "fake", .bytes = bytes});
    request.devices[1].held += bytes;
    return request;
}

const std::string& denoiserOf(const PlanRequest& request) {
    return request.nodes[1].components[0]->id;
}

Bytes pinnedBy(const Plan& plan) {
    Bytes pinned = 0;
    for (const PlannedResidency& residency : plan.residencies) {
        pinned += residency.pinned;
    }
    return pinned;
}

}  // namespace

class PlanPinnedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void remainsToTheEndOfTheRun() {
        const Plan plan = planOf(pinning());
        QCOMPARE(onHost(plan, 0).staging, Bytes{0});
        QCOMPARE(onHost(plan, 1).staging, kStreamed);
        QCOMPARE(onHost(plan, 2).staging, kStreamed);
    }

    /// Before its first residency it is what an earlier run left, then the residency's; never both.
    void isTakenOverByTheNextRun() {
        const PlanRequest first = pinning();
        const Plan plan = planOf(after(first, denoiserOf(first), kStreamed));
        QCOMPARE(pinnedBy(plan), kStreamed);
        QCOMPARE(onHost(plan, 0).held, kStreamed);
        QCOMPARE(onHost(plan, 1).held, Bytes{0});
        QCOMPARE(onHost(plan, 1).staging, kStreamed);
        QCOMPARE(plan.device(parseDeviceSpec("cpu"))->peak, kStreamed);
        QVERIFY(plan.unpinned.empty());
    }

    void whatOthersPinnedRemainsWhereThereIsSpace() {
        const Plan plan = planOf(after(pinning(), "other", 1000));
        QCOMPARE(pinnedBy(plan), kStreamed);
        QCOMPARE(onHost(plan, 2).held, Bytes{1000});
        QVERIFY(plan.unpinned.empty());
    }

    void whatOthersPinnedGoesWhereThisRunPinsMoreWithoutIt_data() {
        const testing::Rows<qint64, qint64> row("pinnable", "host");
        row("of what the device may pin", qint64{kStreamed + 400}, kPlenty);
        row("of the host's budget", kPlenty, qint64{kStreamed + 400});
    }

    void whatOthersPinnedGoesWhereThisRunPinsMoreWithoutIt() {
        QFETCH(qint64, pinnable);
        QFETCH(qint64, host);
        PlanRequest request = after(pinning(), "other", 1000);
        request.devices[0].traits.pinnable = pinnable;
        request.devices[1].traits.capacity = host;
        const Plan plan = planOf(request);
        QCOMPARE(pinnedBy(plan), kStreamed - 600);
        QCOMPARE(plan.unpinned.size(), size_t{1});
        QCOMPARE(plan.unpinned[0].tree, std::string("other"));
    }

    /// First of what the run does not use, and before results.
    void whatIsPinnedGoesBeforeTheRunIsRefused() {
        PlanRequest request = after(pinning(), "other", 1000);
        request = after(request, denoiserOf(request), kStreamed);
        request.nodes[0].wires["cpu"] = 3000;
        request.devices[1].held += 500;
        request.devices[1].droppable = 500;
        request.devices[1].traits.capacity = 3000 + 500 + kStreamed;
        QCOMPARE(planOf(request).unpinned.size(), size_t{1});
        request.devices[1].traits.capacity = 3000 + 500;
        const Plan without = planOf(request);
        QCOMPARE(without.unpinned.size(), size_t{2});
        QCOMPARE(without.unpinned[0].tree, std::string("other"));
        QVERIFY(!without.dropsHeld);
        request.devices[1].traits.capacity = 3000;
        QVERIFY(planOf(request).dropsHeld);
        QCOMPARE(planOf(request).device(parseDeviceSpec("cpu"))->minimum, Bytes{3000});
    }

    /// Only the first forward reads, and none of a run after a run; where nothing is pinned each
    /// does.
    void copiesFromPinnedMemoryHaveTheirOwnSpeed() {
        PlanRequest request = pinning();
        DeviceProfile& profile = request.devices[0].profile;
        profile.pinnedBytesPerSecond = 1e6 * profile.copyBytesPerSecond;
        profile.flopsPerSecond = 1e15;  // next to nothing
        const auto secondsOf = [](const PlanRequest& asked) {
            return planOf(asked).stages[1].seconds;
        };
        const auto forwards = static_cast<double>(request.nodes[1].work.components[0].forwards);
        PlanRequest unpinned = request;
        unpinned.devices[0].traits.pinnable = 0;
        const Seconds all = secondsOf(unpinned);
        const Seconds first = secondsOf(request);
        const Seconds again = secondsOf(after(request, denoiserOf(request), kStreamed));
        QVERIFY2(std::abs(first / all * forwards - 1) < 0.01, std::to_string(first / all).c_str());
        QVERIFY2(again < first / 100, std::to_string(again / first).c_str());
    }

    void componentsOfOneDeviceShareWhatItMayPin() {
        PlanRequest request = pipeline("leaf", "leaf", "none");
        request.nodes[0].components = {testing::tree("text_encoder", std::vector<int64_t>(4, 128))};
        request.nodes[0].work.components = {
            {.tree = request.nodes[0].components[0], .forwards = 5}};
        request.devices[0].traits.pinnable = kStreamed;
        const Plan plan = planOf(request);
        QCOMPARE(pinnedBy(plan), kStreamed);
        QCOMPARE(onHost(plan, 0).staging, Bytes{4 * 4 * 128});
        QCOMPARE(onHost(plan, 2).staging, kStreamed);
    }
};

LOWTIDE_TEST(PlanPinnedTest)

}  // namespace plan_pinned_test

#include "plan_pinned_test.moc"
