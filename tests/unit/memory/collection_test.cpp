#include "plugin/base/error.hpp"
#include "plugin/memory/collection.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace collection_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr Bytes kPlenty = kGiB;

/// A card of `capacity` that is `device` percent full with a host that is `host` percent full,
/// with something to free on both.
CollectionQuestion question(Bytes capacity, int device, int host) {
    const Bytes hostTotal = 100 * kGiB;
    return {.device = {.id = "cuda:0", .kind = "cuda", .name = "Card", .capacity = capacity},
            .state = {.deviceUsed = capacity / 100 * device,
                      .deviceCapacity = capacity,
                      .hostUsed = hostTotal / 100 * host,
                      .hostTotal = hostTotal,
                      .deviceCollectable = kPlenty,
                      .hostCollectable = kPlenty}};
}

constexpr Bytes kSmallCard = 800 * 10 * kMiB;   // below 8 GiB, a multiple of 100
constexpr Bytes kLargeCard = 2400 * 10 * kMiB;  // 24 GB

}  // namespace

/// When a collection runs: the truth table of design section 7.
class CollectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Every row is decided here by the words of the design, not by the code under test.
    void decidesAsTheTableStates_data() {
        QTest::addColumn<int>("setting");
        QTest::addColumn<bool>("smallCard");
        QTest::addColumn<bool>("zluda");
        QTest::addColumn<int>("threshold");
        QTest::addColumn<int>("device");
        QTest::addColumn<int>("host");
        for (const int setting : {0, 1, 2}) {
            for (const bool small : {false, true}) {
                for (const bool zluda : {false, true}) {
                    for (const int threshold : {0, 70, 100}) {
                        for (const auto& [device, host] :
                             {std::pair(0, 0), {69, 10}, {70, 10}, {10, 69}, {10, 70}, {100, 10}}) {
                            QTest::addRow(
                                "low memory %d, %s card%s, threshold %d, device %d %%, "
                                "host %d %%",
                                setting,
                                small ? "small" : "large",
                                zluda ? " [ZLUDA]" : "",
                                threshold,
                                device,
                                host)
                                << setting << small << zluda << threshold << device << host;
                        }
                    }
                }
            }
        }
    }

    void decidesAsTheTableStates() {
        QFETCH(int, setting);
        QFETCH(bool, smallCard);
        QFETCH(bool, zluda);
        QFETCH(int, threshold);
        QFETCH(int, device);
        QFETCH(int, host);
        CollectionQuestion asked = question(smallCard ? kSmallCard : kLargeCard, device, host);
        asked.settings = {.threshold = threshold, .lowMemory = static_cast<LowMemory>(setting)};
        asked.device.name = zluda ? "Card [ZLUDA]" : "Card";

        const CollectionDecision decision = decideCollection(asked);

        const bool isLow = setting == 1 || (setting == 0 && smallCard);
        const bool always = !zluda && (isLow || threshold == 0);
        const bool reached = std::max(device, host) >= (threshold == 0 ? 1 : threshold);
        QCOMPARE(decision.run, always || reached);
        if (decision.run) {
            const bool isOfUser = reached || (threshold == 0 && !zluda);
            QCOMPARE(decision.reason,
                     isOfUser ? CollectionReason::Threshold : CollectionReason::LowMemoryDevice);
        }
        QCOMPARE(decision.threshold, always ? 0 : threshold == 0 ? 1 : threshold);
    }

    void sizeBoundaryIsEightGigabytes() {
        CollectionQuestion asked = question(kSmallCard, 0, 0);
        asked.state.deviceCapacity = 8 * kGiB;
        QVERIFY(decideCollection(asked).run);

        asked.state.deviceCapacity = 8 * kGiB + 1;

        QVERIFY(!decideCollection(asked).run);
    }

    void aDeviceOfUnknownSizeIsNotASmallOne() {
        CollectionQuestion asked = question(0, 0, 0);

        QVERIFY(!decideCollection(asked).run);
    }

    void runsAfterAFailedAllocation_howeverEmptyMemoryIs() {
        CollectionQuestion asked = question(kLargeCard, 1, 1);
        QVERIFY(!decideCollection(asked).run);

        asked.hasFailedAllocation = true;

        const CollectionDecision decision = decideCollection(asked);
        QVERIFY(decision.run);
        QCOMPARE(decision.reason, CollectionReason::FailedAllocation);
    }

    void isSkipped_whenNothingCanBeFreed_data() {
        const testing::Rows<Bytes, Bytes, Bytes, bool> row("device", "host", "caches", "run");
        row("nothing", 0, 0, 0, false);
        row("crumbs", kMiB / 2, 0, kMiB / 4, false);
        row("device", kMiB, 0, 0, true);
        row("host", 0, kMiB, 0, true);
        row("caches", 0, 0, kMiB, true);
    }

    void isSkipped_whenNothingCanBeFreed() {
        QFETCH(Bytes, device);
        QFETCH(Bytes, host);
        QFETCH(Bytes, caches);
        QFETCH(bool, run);
        CollectionQuestion asked = question(kLargeCard, 90, 10);
        asked.state.deviceCollectable = device;
        asked.state.hostCollectable = host;
        asked.deadCaches = caches;

        const CollectionDecision decision = decideCollection(asked);

        QCOMPARE(decision.run, run);
        QCOMPARE(decision.reason == CollectionReason::NothingToFree, !run);
        asked.isForced = true;
        QVERIFY(decideCollection(asked).run);
    }

    void keepsCaches_whenOnlyTheDeviceIsSmall() {
        CollectionQuestion asked = question(kSmallCard, 10, 10);
        QVERIFY(decideCollection(asked).run);
        QVERIFY(!decideCollection(asked).dropsCaches());
        asked.state.deviceCollectable = asked.state.hostCollectable = 0;
        asked.deadCaches = kPlenty;
        QVERIFY(!decideCollection(asked).run);

        asked.state.hostUsed = asked.state.hostTotal / 100 * 80;

        QVERIFY(decideCollection(asked).dropsCaches());
    }

    void refusesWhatIsNoSetting() {
        QCOMPARE(parseLowMemory("on"), LowMemory::On);
        QCOMPARE(nameOf(parseLowMemory("auto")), std::string_view("auto"));
        QVERIFY(testing::errorOf([] { static_cast<void>(parseLowMemory("yes")); }));
        QCOMPARE(checkedThreshold(100, "it"), 100);
        for (const int64_t wrong : {int64_t{-1}, int64_t{101}, int64_t{1} << 40}) {
            const auto error =
                testing::errorOf([&] { static_cast<void>(checkedThreshold(wrong, "it")); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        }
    }
};

LOWTIDE_TEST(CollectionTest)

}  // namespace collection_test

#include "collection_test.moc"
