// In which order a component's residents and what streams come to a device.
#include "plugin/memory/group_stream.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/stream_clock.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace upload_order_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

using Groups = std::vector<GroupId>;

/// Groups of a megabyte in the order of their numbers, of which these are resident.
Layout layoutOf(int64_t count, const Groups& residents) {
    const auto tree =
        testing::tree("denoiser", std::vector<int64_t>(static_cast<size_t>(count), kMiB / 4));
    Layout layout = groupByLeaf(*tree);
    layout.prefetches = true;
    std::vector<bool> isResident(layout.groups.size(), false);
    for (const GroupId group : residents) {
        isResident[group] = true;
    }
    layOutGroups(layout, isResident, kGiB, 2);
    return layout;
}

Groups listOf(std::span<const GroupId> groups) {
    return {groups.begin(), groups.end()};
}

}  // namespace

class UploadOrderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void residentsComeBeforeWhatStreamsBehindThem() {
        const Layout layout = layoutOf(8, {0, 2, 3, 6});
        UploadOrder uploadOrder(layout);
        for (int round = 0; round < 2; ++round) {
            uploadOrder.begin();
            QCOMPARE(listOf(uploadOrder.before(1)), Groups{0});
            QCOMPARE(listOf(uploadOrder.after(1)), Groups{});
            QCOMPARE(listOf(uploadOrder.before(4)), (Groups{2, 3}));
            QCOMPARE(listOf(uploadOrder.before(5)), Groups{});
            QCOMPARE(listOf(uploadOrder.before(1)), Groups{});  // of the next forward
            QCOMPARE(listOf(uploadOrder.rest()), Groups{6});
            QCOMPARE(listOf(uploadOrder.rest()), Groups{});
        }
    }

    void thoseBehindTheLastThatStreamsFollowIt() {
        const Layout layout = layoutOf(6, {1, 4, 5});
        UploadOrder uploadOrder(layout);
        QCOMPARE(listOf(uploadOrder.before(3)), Groups{1});
        QCOMPARE(listOf(uploadOrder.after(3)), (Groups{4, 5}));
        QCOMPARE(listOf(uploadOrder.before(3)), Groups{});
        QCOMPARE(listOf(uploadOrder.after(3)), Groups{});
    }

    /// The first forward waits for what it uses first, not for residents that it uses last: then
    /// more residents are never slower where compute hides the copies.
    void theFirstForwardDoesNotWaitForWhatItUsesLast() {
        constexpr Seconds kCopy = 1e-3;
        const DeviceProfile profile{.copyBytesPerSecond = kMiB / kCopy,
                                    .copyOverhead = 0,
                                    .flopsPerSecond = 1,
                                    .leafOverhead = 0};
        AccessPattern forward;
        for (LeafId leaf = 0; leaf < 20; ++leaf) {
            forward.push_back({leaf, 2 * kCopy});
        }
        for (const Groups& residents : {Groups{}, Groups{12, 13, 14, 15, 16, 17, 18, 19}}) {
            const Layout layout = layoutOf(20, residents);
            StreamClock clock(layout, 3, profile);
            clock.upload(false);
            const std::vector<GroupUse> uses = groupUses(layout, forward, profile);
            for (int i = 0; i < 3; ++i) {
                clock.runForward(uses);
            }
            QVERIFY(std::abs(clock.times().total - (3 * 20 * 2 * kCopy + kCopy)) < 1e-9);
        }
    }
};

LOWTIDE_TEST(UploadOrderTest)

}  // namespace upload_order_test

#include "upload_order_test.moc"
