#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/alternating.hpp"

#include <QtTest/QtTest>

#include <chrono>

namespace plan_time_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

/// Half of the leaves of SDXL's UNet, and of its ControlNet.
constexpr size_t kUNet = 840;
constexpr size_t kControl = 400;
constexpr double kMostSeconds = 10;  ///< ten times the goal

class PlanTimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Prints how long a plan takes.
    void aPlanOfLargeNetworksIsFast() {
        PlanRequest request = controlled("auto", unevenLeaves(kUNet), unevenLeaves(kControl));
        const Bytes both = bytesOf(unevenLeaves(kUNet)) + bytesOf(unevenLeaves(kControl));
        request.devices[0].traits.capacity = both * 6 / 10;
        const auto start = std::chrono::steady_clock::now();
        const Plan plan = planOf(request);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        QVERIFY(!plan.stays.at(1).takesTurns);
        qInfo("%.3f s", seconds.count());
        QVERIFY(seconds.count() < kMostSeconds);
    }
};

LOWTIDE_TEST(PlanTimeTest)

}  // namespace plan_time_test

#include "plan_time_test.moc"
