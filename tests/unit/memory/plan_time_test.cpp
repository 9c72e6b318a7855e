#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/plan_bench.hpp"

#include <QtTest/QtTest>

#include <ctime>

namespace plan_time_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

/// Half of the leaves of SDXL's UNet, and of its ControlNet.
constexpr size_t kUNet = 840;
constexpr size_t kControl = 400;
constexpr int64_t kForwards = 50;
constexpr double kMostSeconds = 10;  ///< ten times the goal
constexpr double kMostOfDeep = 5;    ///< likewise

/// A network of blocks of 100 leaves, each of a matrix and a bias.
std::shared_ptr<const ComponentTree> deepTree(const std::string& role, uint32_t blocks) {
    constexpr uint32_t kLeavesOfBlock = 100;
    std::vector<int64_t> sizes;
    for (uint32_t leaf = 0; leaf < blocks * kLeavesOfBlock; ++leaf) {
        sizes.push_back(int64_t{1} << 16 << (leaf * 7) % 4);
        sizes.push_back(256);
    }
    auto made = std::make_shared<ComponentTree>(*testing::tree(role, sizes));
    made->leaves.clear();
    for (uint32_t leaf = 0; leaf < blocks * kLeavesOfBlock; ++leaf) {
        made->leaves.push_back(
            {.name = "leaf." + std::to_string(leaf), .weights = {2 * leaf, 2 * leaf + 1}});
    }
    for (uint32_t block = 0; block < blocks; ++block) {
        made->blocks.push_back({.name = "block." + std::to_string(block),
                                .firstLeaf = block * kLeavesOfBlock,
                                .leafCount = kLeavesOfBlock});
    }
    return made;
}

/// A node over 4000 leaves; where it is `controlled`, one over 1200 runs before each of its steps.
PlanRequest deepRequest(const std::string& policy, bool isControlled) {
    PlanRequest request = pipeline("model", policy, "model");
    request.devices[0].profile.copyBytesPerSecond = 1e10;
    request.devices[0].traits.capacity = 0;
    NodeWork& node = request.nodes[1];
    node.components = {deepTree("denoiser", 40)};
    node.work.components = {workOver(node.components[0], kForwards, 1e8)};
    if (isControlled) {
        node.components.push_back(deepTree("controlnet", 12));
        node.work.components.push_back(workOver(node.components[1], kForwards, 1e8));
        for (int64_t forward = 0; forward < kForwards; ++forward) {
            node.work.bursts.push_back({1, 1});
            node.work.bursts.push_back({0, 1});
        }
    }
    return request;
}

/// Of this process: others may be at work on the machine.
double secondsOf(const PlanRequest& request, Plan& plan) {
    const std::clock_t start = std::clock();
    plan = planOf(request);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

class PlanTimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Prints how long a plan takes.
    void aPlanOfLargeNetworksIsFast() {
        PlanRequest request = controlled("auto", unevenLeaves(kUNet), unevenLeaves(kControl));
        const Bytes both = bytesOf(unevenLeaves(kUNet)) + bytesOf(unevenLeaves(kControl));
        request.devices[0].traits.capacity = both * 6 / 10;
        Plan plan;
        const double seconds = secondsOf(request, plan);
        QVERIFY(!plan.residencies.at(1).alternates);
        qInfo("%.3f s", seconds);
        QVERIFY(seconds < kMostSeconds);
    }

    void aPlanOfDeepNetworksIsFast_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<bool>("isControlled");
        for (const char* policy : {"auto", "leaf+stream", "block:1+stream", "model"}) {
            QTest::newRow(policy) << policy << false;
            QTest::addRow("%s, controlled", policy) << policy << true;
        }
    }

    /// Prints how long plans take where all fits, where half does, and little above the least.
    void aPlanOfDeepNetworksIsFast() {
        QFETCH(QString, policy);
        QFETCH(bool, isControlled);
        PlanRequest request = deepRequest(policy.toStdString(), isControlled);
        Plan plan;
        const double whole = secondsOf(request, plan);
        const DevicePlan& device = *plan.device(request.device);
        const Bytes least = device.minimum;
        const Bytes most = device.peak;
        for (const Bytes budget : {std::max(least, most / 2), least + least / 10}) {
            request.devices[0].traits.capacity = budget;
            const double seconds = secondsOf(request, plan);
            QVERIFY(plan.device(request.device)->peak <= budget);
            qInfo("%.3f s in %.0f MB", seconds, static_cast<double>(budget) / 1e6);
            QVERIFY(seconds < kMostOfDeep);
        }
        qInfo("%.3f s where all fits", whole);
        QVERIFY(whole < kMostOfDeep);
    }
};

LOWTIDE_TEST(PlanTimeTest)

}  // namespace plan_time_test

#include "plan_time_test.moc"
