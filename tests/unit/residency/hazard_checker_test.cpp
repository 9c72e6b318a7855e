#include "plugin/residency/device/fake/hazard_checker.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <algorithm>

namespace hazard_checker_test {

using namespace lowtide::residency;

namespace {

/// Two slots of 512 bytes in one arena, filled by copies and read by operators.
class TwoSlots {
public:
    TwoSlots() { checker.watch({memory.data(), memory.data() + memory.size()}); }

    ByteRange slot(int index) const {
        const std::byte* begin = memory.data() + 512 * index;
        return {begin, begin + 512};
    }

    void copyTo(int index, const std::string& what) {
        checker.begin(Agent::Copy);
        checker.access(Agent::Copy, slot(index), Access::Write, "copy of " + what);
    }

    void compute(int index, Access access, const std::string& what) {
        checker.begin(Agent::Compute);
        checker.access(Agent::Compute, slot(index), access, what);
    }

    std::vector<std::byte> memory = std::vector<std::byte>(1024);
    HazardChecker checker;
};

/// Six groups stream through the two slots, as in a ring buffer.
std::vector<std::string> streamSixGroups(bool computeWaits, bool copyWaits) {
    TwoSlots slots;
    Clock lastUse[2] = {};
    for (int group = 0; group < 6; ++group) {
        const int slot = group % 2;
        if (copyWaits) {
            slots.checker.wait(Agent::Copy, lastUse[slot]);
        }
        slots.copyTo(slot, std::to_string(group));
        if (computeWaits) {
            slots.checker.wait(Agent::Compute, slots.checker.clockOf(Agent::Copy));
        }
        slots.compute(slot, Access::Read, "linear " + std::to_string(group));
        lastUse[slot] = slots.checker.clockOf(Agent::Compute);
    }
    return slots.checker.faults();
}

bool contains(const std::vector<std::string>& faults, const std::string& fault) {
    return std::find(faults.begin(), faults.end(), fault) != faults.end();
}

}  // namespace

class HazardCheckerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isQuietWhenBothWaitsAreThere() { QCOMPARE(streamSixGroups(true, true).size(), 0u); }

    void findsReadingBeforeTheCopy() {
        const auto faults = streamSixGroups(false, true);
        QCOMPARE(faults.size(), 6u);
        QVERIFY(contains(faults, "linear 0 is not ordered after copy of 0"));
    }

    void findsCopyingOverWhatIsStillRead() {
        const auto faults = streamSixGroups(true, false);
        QCOMPARE(faults.size(), 4u);
        QVERIFY(contains(faults, "copy of 2 may overtake linear 0"));
    }

    void findsBothAtOnce() { QCOMPARE(streamSixGroups(false, false).size(), 10u); }

    void doesNotMixUpSlotsOfOneArena() {
        TwoSlots slots;
        slots.copyTo(0, "a");
        slots.checker.wait(Agent::Compute, slots.checker.clockOf(Agent::Copy));
        slots.copyTo(1, "b");
        slots.compute(0, Access::Read, "linear");
        QCOMPARE(slots.checker.faults().size(), 0u);
        slots.compute(1, Access::Read, "linear");
        QVERIFY(contains(slots.checker.faults(), "linear is not ordered after copy of b"));
    }

    void followsEveryByteOfARange() {
        TwoSlots slots;
        slots.copyTo(1, "b");
        slots.checker.begin(Agent::Compute);
        const ByteRange across = {slots.slot(0).begin + 100, slots.slot(1).begin + 1};
        slots.checker.access(Agent::Compute, across, Access::Read, "view");
        QVERIFY(contains(slots.checker.faults(), "view is not ordered after copy of b"));
    }

    void seesThatAWriteOvertakesEarlierReaders() {
        TwoSlots slots;
        slots.checker.begin(Agent::Copy);
        slots.checker.access(Agent::Copy, slots.slot(0), Access::Read, "copy back of s");
        slots.compute(0, Access::Write, "add_");
        QVERIFY(contains(slots.checker.faults(), "add_ may overtake copy back of s"));
    }

    void allowsTwoReadersAtOnce() {
        TwoSlots slots;
        slots.compute(0, Access::Read, "linear");
        slots.checker.begin(Agent::Copy);
        slots.checker.access(Agent::Copy, slots.slot(0), Access::Read, "copy back of s");
        QCOMPARE(slots.checker.faults().size(), 0u);
    }

    void countsWhatTheHostWaitedFor() {
        TwoSlots slots;
        slots.copyTo(0, "a");
        slots.checker.wait(Agent::Host, slots.checker.clockOf(Agent::Copy));
        slots.compute(0, Access::Read, "linear");
        QCOMPARE(slots.checker.faults().size(), 0u);
    }

    void ignoresMemoryThatIsNotWatched() {
        TwoSlots slots;
        std::byte other[64] = {};
        slots.checker.begin(Agent::Copy);
        slots.checker.access(Agent::Copy, {other, other + 64}, Access::Write, "copy");
        slots.checker.begin(Agent::Compute);
        slots.checker.access(Agent::Compute, {other, other + 64}, Access::Read, "linear");
        QCOMPARE(slots.checker.faults().size(), 0u);
    }

    void findsMemoryThatIsFreedUnderACopy() {
        TwoSlots slots;
        slots.copyTo(0, "a");
        slots.checker.unwatch({slots.memory.data(), slots.memory.data() + slots.memory.size()});
        QVERIFY(contains(slots.checker.faults(),
                         "memory was freed before the host waited for copy of a"));
    }

    void startsMemoryThatIsUsedAgainWithoutAHistory() {
        TwoSlots slots;
        const ByteRange all = {slots.memory.data(), slots.memory.data() + slots.memory.size()};
        slots.compute(0, Access::Read, "linear");
        slots.checker.unwatch(all);
        slots.checker.watch(all);
        slots.copyTo(0, "a");
        QCOMPARE(slots.checker.faults().size(), 0u);
    }
};

LOWTIDE_TEST(HazardCheckerTest)

}  // namespace hazard_checker_test

#include "hazard_checker_test.moc"
