#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/group_stream.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

#include <random>

namespace group_stream_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int64_t kElements = 128;  // 512 bytes: one slot
constexpr Bytes kUnit = kSlotAlignment;

/// Leaves of `units` slots each, all streaming through a ring buffer of `ringBufferUnits`.
Layout streaming(const std::vector<int64_t>& units, Bytes ringBufferUnits, bool prefetches) {
    std::vector<int64_t> elements;
    for (const int64_t unit : units) {
        elements.push_back(unit * kElements);
    }
    Layout layout = groupByLeaf(*testing::tree("denoiser", elements));
    layout.prefetches = prefetches;
    layout.ringBufferBytes = ringBufferUnits * kUnit;
    return layout;
}

/// Follows the steps of a stream as a copy queue would and checks that nothing that is there or
/// leased is overwritten.
class RingBuffer {
public:
    RingBuffer(Layout layout, int64_t forwards)
        : layout_(std::move(layout)), stream_(layout_, forwards) {}

    /// Whether the group could be read; `brought` counts copies.
    bool use(GroupId group) { return useLeaf({group}); }

    /// Whether all of them could be read together.
    bool useLeaf(const std::vector<GroupId>& groups) {
        const auto steps = stream_.use(groups);
        if (!steps) {
            return false;
        }
        for (const StreamStep& step : *steps) {
            take(step);
        }
        return std::all_of(groups.begin(), groups.end(), [&](GroupId group) {
            return layout_.groups[group].isResident || at_.contains(group);
        });
    }

    void take(const StreamStep& step) {
        if (step.kind == StreamStep::Kind::Evict) {
            isRight = isRight && at_.erase(step.group) == 1 && !stream_.isLeased(step.group);
            return;
        }
        const Bytes end = step.offset + layout_.groups[step.group].bytes;
        isRight = isRight && end <= layout_.ringBufferBytes && !at_.contains(step.group);
        for (const auto& [group, offset] : at_) {
            isRight =
                isRight && (offset >= end || offset + layout_.groups[group].bytes <= step.offset);
        }
        at_[step.group] = step.offset;
        ++brought;
        bytes += layout_.groups[step.group].bytes;
    }

    GroupStream& stream() { return stream_; }

    size_t present() const { return at_.size(); }

    bool isRight = true;
    int brought = 0;
    Bytes bytes = 0;

private:
    Layout layout_;
    GroupStream stream_;
    std::map<GroupId, Bytes> at_;
};

}  // namespace

class GroupStreamTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyForwardBringsEachGroupOnce_andMissesNothingAfterTheFirst() {
        RingBuffer ringBuffer(streaming({1, 3, 2, 1, 4, 2, 1}, 8, true), 4);
        for (int forward = 0; forward < 4; ++forward) {
            ringBuffer.stream().beginForward({});
            for (GroupId group = 0; group < 7; ++group) {
                QVERIFY(ringBuffer.use(group));
            }
        }
        QVERIFY(ringBuffer.isRight);
        QVERIFY(ringBuffer.brought <= 4 * 7);  // what is still there when its turn comes is kept
        QVERIFY(ringBuffer.bytes >= (4 * 14 - 3 * 8) * kUnit);
        QVERIFY(ringBuffer.stream().misses() <= 1);
    }

    void withoutPrefetchOneGroupIsThereAtATime() {
        Layout layout = streaming({1, 1, 3}, 3, false);
        layout.mostInRingBuffer = 1;
        RingBuffer ringBuffer(layout, 0);
        for (const GroupId group : {0u, 1u, 2u, 0u, 1u, 2u}) {
            QVERIFY(ringBuffer.use(group));
            QCOMPARE(ringBuffer.present(), size_t{1});
        }
        QCOMPARE(ringBuffer.brought, 6);
        QCOMPARE(ringBuffer.stream().misses(), 0);
    }

    void mostInRingBufferHoldsWithPrefetch() {
        Layout layout = streaming({1, 1, 1, 1, 1, 1}, 6, true);
        layout.mostInRingBuffer = 2;
        RingBuffer ringBuffer(layout, 0);
        for (int i = 0; i < 18; ++i) {
            QVERIFY(ringBuffer.use(static_cast<GroupId>(i % 6)));
            QVERIFY(ringBuffer.present() <= 2);
        }
        QCOMPARE(ringBuffer.brought, 19);  // each use one, and the one ahead
    }

    void aRepeatedGroupCostsAtMostOneMoreCopy() {
        RingBuffer ringBuffer(streaming({1, 1, 1, 1}, 2, true), 3);
        for (int forward = 0; forward < 3; ++forward) {
            ringBuffer.stream().beginForward({});
            for (const GroupId group : {0u, 1u, 0u, 2u, 3u}) {  // A X A Y Z
                QVERIFY(ringBuffer.use(group));
            }
        }
        QVERIFY(ringBuffer.isRight);
        QVERIFY(ringBuffer.brought <= 3 * 5);
    }

    void anyOrderIsRight_data() {
        QTest::addColumn<int>("ringBufferUnits");
        QTest::addColumn<bool>("prefetches");
        for (const int units : {5, 7, 9}) {
            QTest::addRow("%d ahead", units) << units << true;
            QTest::addRow("%d", units) << units << false;
        }
    }

    void anyOrderIsRight() {
        QFETCH(int, ringBufferUnits);
        QFETCH(bool, prefetches);
        std::mt19937 random(7);
        const auto any = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
        for (int round = 0; round < 40; ++round) {
            RingBuffer ringBuffer(streaming({1, 2, 1, 2, 2, 1, 1}, ringBufferUnits, prefetches), 0);
            std::vector<GroupId> leased;
            for (int i = 0; i < 200; ++i) {
                if (i % 9 == 0) {
                    ringBuffer.stream().beginForward({any(2), any(2)});
                }
                const GroupId group = any(7);
                QVERIFY(ringBuffer.use(group));
                QVERIFY(ringBuffer.isRight);
                if (leased.empty() && any(4) == 0) {
                    ringBuffer.stream().lease(group);
                    leased.push_back(group);
                } else if (!leased.empty() && any(2) == 0) {
                    ringBuffer.stream().release(leased.back());
                    leased.pop_back();
                }
            }
        }
    }

    void groupsOfOneLeafAreThereTogether_data() {
        const testing::Rows<int, int> row("ringBufferUnits", "mostInRingBuffer");
        row("two groups", 2, 0);
        row("three groups", 3, 0);
        row("two groups of more space", 4, 2);
    }

    /// Leaves with a weight of their own before one that all share.
    void groupsOfOneLeafAreThereTogether() {
        QFETCH(int, ringBufferUnits);
        QFETCH(int, mostInRingBuffer);
        Layout layout = streaming({1, 1, 1, 1, 1}, ringBufferUnits, true);
        layout.mostInRingBuffer = mostInRingBuffer;
        constexpr GroupId kShared = 4;
        layout.groups[kShared].isResident = true;
        layout.order = {0, kShared, 1, kShared, 2, kShared, 3, kShared};
        RingBuffer ringBuffer(layout, 3);
        for (int forward = 0; forward < 3; ++forward) {
            ringBuffer.stream().beginForward({});
            for (GroupId own = 0; own < 4; ++own) {
                QVERIFY(ringBuffer.useLeaf({own, kShared}));
            }
        }
        QVERIFY(ringBuffer.isRight);
        QVERIFY(ringBuffer.brought <= 3 * 4);
    }

    /// What a leaf of several groups finds is all of them, or a ring buffer that is as it was.
    void leavesOfSeveralGroupsAreRight_data() {
        QTest::addColumn<int>("ringBufferUnits");
        QTest::addColumn<int>("mostInRingBuffer");
        for (const int units : {3, 5, 8}) {
            QTest::addRow("%d", units) << units << 0;
            QTest::addRow("%d, two groups at most", units) << units << 2;
        }
    }

    void leavesOfSeveralGroupsAreRight() {
        QFETCH(int, ringBufferUnits);
        QFETCH(int, mostInRingBuffer);
        std::mt19937 random(5);
        const auto any = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
        Layout layout = streaming({1, 2, 1, 2, 2, 1, 1}, ringBufferUnits, true);
        layout.mostInRingBuffer = mostInRingBuffer;
        layout.groups[6].isResident = true;
        RingBuffer ringBuffer(layout, 0);
        int refused = 0;
        for (int i = 0; i < 4000; ++i) {
            if (i % 9 == 0) {
                ringBuffer.stream().beginForward({any(2), any(2)});
            }
            const std::vector<GroupId> leaf = {any(6), any(7)};
            const bool isThere = ringBuffer.useLeaf(leaf);
            QVERIFY(ringBuffer.isRight);
            refused += isThere ? 0 : 1;
        }
        QVERIFY2(ringBufferUnits < 8 || refused == 0, qPrintable(QString::number(refused)));
        QVERIFY(refused < 2000);
    }

    /// The last group of a forward that is the first of the next belongs to the order of both.
    void aGroupThatEndsAForwardAndBeginsTheNextIsKnown() {
        RingBuffer ringBuffer(streaming({1, 1, 1, 1}, 2, true), 0);
        const auto forward = [&](const std::vector<GroupId>& groups, ForwardHint hint) {
            const int64_t before = ringBuffer.stream().misses();
            ringBuffer.stream().beginForward(hint);
            for (const GroupId group : groups) {
                static_cast<void>(ringBuffer.use(group));
            }
            return ringBuffer.stream().misses() - before;
        };
        forward({0, 1, 2, 3}, {.pattern = 0, .next = 1});
        forward({2, 3, 0}, {.pattern = 1, .next = 0});
        forward({0, 1, 2, 3}, {.pattern = 0, .next = 0});  // begins with what is there
        forward({0, 1, 2, 3}, {.pattern = 0, .next = 0});
        QCOMPARE(forward({0, 1, 2, 3}, {.pattern = 0, .next = 0}), int64_t{0});
        QVERIFY(ringBuffer.isRight);
    }

    void whatIsLeasedIsNeverEvicted_thenItIsRefused() {
        RingBuffer ringBuffer(streaming({2, 1, 1, 2}, 3, true), 0);
        QVERIFY(ringBuffer.use(0));
        ringBuffer.stream().lease(0);
        QVERIFY(ringBuffer.use(1));
        QVERIFY(!ringBuffer.use(3));  // 2 of 3 units are leased
        QVERIFY(ringBuffer.isRight);
        ringBuffer.stream().release(0);
        QVERIFY(ringBuffer.use(3));
    }

    void aPatternHasAnOrderOfItsOwn() {
        RingBuffer ringBuffer(streaming({1, 1, 1, 1, 1, 1, 1, 1}, 3, true), 8);
        const std::vector<GroupId> partial = {0, 1, 7};
        for (int forward = 0; forward < 8; ++forward) {
            const bool isFull = forward % 2 == 0;
            const int before = ringBuffer.brought;
            ringBuffer.stream().beginForward({isFull ? 0u : 1u, isFull ? 1u : 0u});
            for (GroupId group = 0; group < 8; ++group) {
                if (isFull || std::find(partial.begin(), partial.end(), group) != partial.end()) {
                    QVERIFY(ringBuffer.use(group));
                }
            }
            if (forward == 7) {
                QVERIFY2(ringBuffer.brought - before <= 3,
                         "a partial pass brings what it uses only");
            }
        }
        QVERIFY(ringBuffer.isRight);
    }

    /// A partial forward is known before the first one: it brings no group of a full forward.
    void theFirstForwardOfAPatternHasThePlannedOrder() {
        Layout layout = streaming({1, 1, 1, 1, 1, 1}, 3, true);
        layout.otherOrders[1] = {0, 5};
        RingBuffer ringBuffer(layout, 2);
        ringBuffer.stream().beginForward({.pattern = 0, .next = 1});
        for (GroupId group = 0; group < 6; ++group) {
            QVERIFY(ringBuffer.use(group));
        }
        ringBuffer.stream().beginForward({.pattern = 1, .next = 1});
        for (const GroupId group : {0u, 5u}) {
            QVERIFY(ringBuffer.use(group));
        }
        QVERIFY(ringBuffer.isRight);
        QVERIFY(ringBuffer.brought <= 6 + 2);
        QVERIFY(ringBuffer.stream().misses() <= 1);
    }

    void unexecutedGroupsAreNotBroughtAgain() {
        RingBuffer ringBuffer(streaming({1, 1, 1, 1, 1, 1}, 3, true), 4);
        for (int forward = 0; forward < 4; ++forward) {
            const int before = ringBuffer.brought;
            ringBuffer.stream().beginForward({});
            for (const GroupId group : {0u, 1u, 2u, 3u, 4u}) {
                QVERIFY(ringBuffer.use(group));
            }
            QVERIFY(forward < 2 || ringBuffer.brought - before <= 5);  // known since the second
        }
    }
};

LOWTIDE_TEST(GroupStreamTest)

}  // namespace group_stream_test

#include "group_stream_test.moc"
