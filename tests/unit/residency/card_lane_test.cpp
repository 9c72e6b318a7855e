#include "plugin/base/error.hpp"
#include "plugin/residency/device/cuda/card_lane.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/byte_source.hpp"
#include "tests/unit/residency/played_streams.hpp"

#include <QTest>

#include <atomic>
#include <cstring>
#include <random>

namespace card_lane_test {

using namespace lowtide;
using residency::CardLane;
using testing::PlayedSettings;
using testing::PlayedStreams;
using testing::sourceOf;

namespace {

constexpr Bytes kRing = 64 * 1024;

/// Bytes that differ from place to place.
std::vector<std::byte> pattern(Bytes count, int seed) {
    std::vector<std::byte> bytes(static_cast<size_t>(count));
    uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
    for (std::byte& each : bytes) {
        state = state * 1664525u + 1013904223u;
        each = static_cast<std::byte>(state >> 24);
    }
    return bytes;
}

/// Holds work of a stream up until it is opened.
class Gate {
public:
    ~Gate() { open(); }

    void open() { isOpen_ = true; }

    [[nodiscard]] std::function<void()> work() {
        return [this] {
            while (!isOpen_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        };
    }

private:
    std::atomic<bool> isOpen_{false};
};

struct Lane {
    explicit Lane(PlayedSettings settings = {})
        : streams(std::make_unique<PlayedStreams>(settings)),
          played(*streams),
          lane(std::move(streams)) {
        lane.lendStaging(staging);
    }

    std::vector<std::byte> staging = std::vector<std::byte>(kRing);
    std::unique_ptr<PlayedStreams> streams;
    PlayedStreams& played;
    CardLane lane;
};

}  // namespace

/// The order of a card's copies, on streams that are played with delays.
class CardLaneTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void bytesArriveThroughASmallRing_data() {
        QTest::addColumn<int>("copies");
        QTest::addColumn<int>("bytes");
        QTest::newRow("one that is larger than the ring") << 1 << 500'000;
        QTest::newRow("many small ones") << 400 << 1000;
        QTest::newRow("odd sizes") << 60 << 16'385;
    }

    void bytesArriveThroughASmallRing() {
        QFETCH(int, copies);
        QFETCH(int, bytes);
        Lane card({.longestDelay = 0.001});
        std::vector<std::vector<std::byte>> sources;
        std::vector<std::vector<std::byte>> targets;
        for (int i = 0; i < copies; ++i) {
            sources.push_back(pattern(bytes, i));
            targets.emplace_back(static_cast<size_t>(bytes));
        }
        for (size_t i = 0; i < sources.size(); ++i) {
            card.lane.copyIn({.target = targets[i].data(), .bytes = bytes}, sourceOf(sources[i]));
        }
        card.lane.hostWaits(card.lane.markCopy());
        QVERIFY(sources == targets);
    }

    /// The oldest bytes may lie behind the place that is taken next, others in it.
    void bytesOfManySizesArrive() {
        Lane card({.longestDelay = 0.002});
        std::mt19937 random(11);
        std::vector<std::vector<std::byte>> sources;
        for (int i = 0; i < 300; ++i) {
            sources.push_back(pattern(1 + static_cast<Bytes>(random() % 16'000), i));
        }
        std::vector<std::vector<std::byte>> targets;
        for (const std::vector<std::byte>& source : sources) {
            targets.emplace_back(source.size());
        }
        for (size_t i = 0; i < sources.size(); ++i) {
            card.lane.copyIn(
                {.target = targets[i].data(), .bytes = static_cast<Bytes>(sources[i].size())},
                sourceOf(sources[i]));
        }
        card.lane.drain();
        QVERIFY(sources == targets);
    }

    /// The check above can fail: without the ring's waits pieces are written while they are copied.
    void aRingThatDoesNotWaitGivesOtherBytes() {
        Lane card({.longestDelay = 0.001, .forgetsRingWaits = true});
        const std::vector<std::byte> source = pattern(500'000, 1);
        std::vector<std::byte> target(source.size());
        card.lane.copyIn({.target = target.data(), .bytes = 500'000}, sourceOf(source));
        card.lane.drain();
        QVERIFY(source != target);
    }

    void computeWaitsForWhatItReads() {
        Lane card({.longestDelay = 0.01});
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        bool isRight = false;
        card.lane.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        card.lane.computeWaits(card.lane.markCopy());
        card.played.compute([&] { isRight = source == target; });
        card.lane.drain();
        QVERIFY(isRight);
    }

    void copiesWaitForTheLastUse() {
        Lane card;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        bool wasUntouched = false;
        card.played.compute([&, wait = gate.work()] {
            wait();
            wasUntouched = target == std::vector<std::byte>(1000);
        });
        card.lane.copyWaits(card.lane.markCompute());
        card.lane.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        QTest::qSleep(20);
        gate.open();
        card.lane.drain();
        QVERIFY(wasUntouched);
        QVERIFY(source == target);
    }

    /// The host goes on while the card still copies.
    void waitingOfComputeHoldsNobodyUp() {
        Lane card;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        card.played.compute(gate.work());
        card.lane.copyWaits(card.lane.markCompute());
        card.lane.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        const residency::EventRef ready = card.lane.markCopy();
        card.lane.computeWaits(ready);  // would never return if it waited for the bytes
        QVERIFY(source != target);
        gate.open();
        card.lane.hostWaits(ready);
        QVERIFY(source == target);
    }

    void pinnedBytesAreCopiedFromWhereTheyLie() {
        Lane card({.longestDelay = 0.001});
        std::vector<std::byte> pinned(200'000);
        const std::vector<std::byte> source = pattern(200'000, 3);
        std::vector<std::byte> target(200'000);
        int prepared = 0;
        for (int pass = 0; pass < 3; ++pass) {
            card.lane.copyInStaged({.target = target.data(), .bytes = 200'000}, pinned.data(), [&] {
                if (prepared++ == 0) {
                    pinned = source;
                }
                return true;
            });
        }
        card.lane.copyInStaged({.target = target.data(), .bytes = 200'000}, nullptr, [] {
            return false;  // no longer wanted
        });
        card.lane.drain();
        QCOMPARE(prepared, 3);
        QVERIFY(target == source);
    }

    void numbersGetTheirWiderTypeOnTheCard_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::newRow("f16 to f32") << int(DType::F16) << int(DType::F32);
        QTest::newRow("bf16 to f32") << int(DType::BF16) << int(DType::F32);
        QTest::newRow("e4m3 to bf16") << int(DType::F8E4M3) << int(DType::BF16);
        QTest::newRow("e5m2 to f32") << int(DType::F8E5M2) << int(DType::F32);
    }

    void numbersGetTheirWiderTypeOnTheCard() {
        QFETCH(int, from);
        QFETCH(int, to);
        const residency::TypeChange change{static_cast<DType>(from), static_cast<DType>(to)};
        constexpr int64_t kCount = 100'001;
        const Bytes narrow = kCount * sizeOf(change.from);
        const std::vector<std::byte> source = pattern(narrow, 5);
        std::vector<std::byte> expected(static_cast<size_t>(kCount * sizeOf(change.to)));
        residency::convertElements(expected.data(), change.to, source.data(), change.from, kCount);
        std::vector<std::byte> target(expected.size());
        Lane card({.longestDelay = 0.001});
        card.lane.copyIn({.target = target.data(), .bytes = narrow, .widened = change},
                         sourceOf(source));
        card.lane.drain();
        QVERIFY(target == expected);
    }

    void aFailureComesToWhoeverWaits() {
        Lane card;
        std::vector<std::byte> target(1000);
        card.lane.copyIn({.target = target.data(), .bytes = 1000},
                         [](std::byte*, Bytes, Bytes) -> bool {
                             throw Error(ErrorKind::Corrupt, Message("the file ends early"));
                         });
        const residency::EventRef ready = card.lane.markCopy();
        QVERIFY_EXCEPTION_THROWN(card.lane.computeWaits(ready), Error);
        QVERIFY_EXCEPTION_THROWN(card.lane.hostWaits(ready), Error);
        card.lane.drain();
        const std::vector<std::byte> source = pattern(1000, 1);
        card.lane.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        card.lane.hostWaits(card.lane.markCopy());
        QVERIFY(source == target);
    }

    void copiesWithoutStagingAreABugThatIsSaid() {
        Lane card;
        card.lane.lendStaging({});
        std::vector<std::byte> target(10);
        card.lane.copyIn({.target = target.data(), .bytes = 10},
                         [](std::byte*, Bytes, Bytes) { return true; });
        QVERIFY_EXCEPTION_THROWN(card.lane.hostWaits(card.lane.markCopy()), Error);
        card.lane.drain();
    }

    void whatIsSpoiledIsNoNumber() {
        Lane card;
        std::vector<float> numbers(100, 1.0F);
        card.lane.spoil(reinterpret_cast<std::byte*>(numbers.data()), 400);
        card.lane.drain();
        QVERIFY(
            std::all_of(numbers.begin(), numbers.end(), [](float each) { return each != each; }));
    }

    /// A node may stream for hours before its times are asked for.
    void pointsOfWhatIsOverAreGivenBack() {
        constexpr int kCopies = 10'000;
        constexpr int kOfGroup = 8;
        constexpr long kFew = 100;  ///< of the group under way, and of the ring's parts
        Lane card;
        const std::vector<std::byte> source = pattern(256, 3);
        std::vector<std::byte> target(256);
        long most = 0;
        for (int copy = 0; copy < kCopies; copy += kOfGroup) {
            for (int i = 0; i < kOfGroup; ++i) {
                card.lane.copyIn({.target = target.data(), .bytes = 256}, sourceOf(source));
            }
            const residency::EventRef ready = card.lane.markCopy();
            card.lane.computeWaits(ready);
            card.lane.copyWaits(card.lane.markCompute());
            card.lane.hostWaits(ready);
            most = std::max(most, card.played.livingPoints());
        }
        qInfo("%ld points at once", most);
        QVERIFY2(most < kFew, qPrintable(QString::number(most)));
        card.lane.drain();
        QVERIFY(card.lane.times().copy > 0);
    }

    void timesSayWhoWorkedAndWhoWaited() {
        Lane card;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        card.lane.copyIn({.target = target.data(), .bytes = 1000},
                         [&](std::byte* bytes, Bytes offset, Bytes count) {
                             QTest::qSleep(30);  // a slow disk
                             return sourceOf(source)(bytes, offset, count);
                         });
        card.lane.computeWaits(card.lane.markCopy());
        card.lane.drain();
        const memory::LaneTimes times = card.lane.times();
        QVERIFY2(times.copy > 0.025 && times.copy < 5, qPrintable(QString::number(times.copy)));
        QVERIFY2(times.wait > 0.025 && times.wait < 5, qPrintable(QString::number(times.wait)));
        card.played.compute(gate.work());
        card.lane.copyWaits(card.lane.markCompute());
        card.lane.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        card.lane.computeWaits(card.lane.markCopy());
        QCOMPARE(card.lane.times().copy, times.copy);  // it is not over
        gate.open();
        card.lane.drain();
        QVERIFY(card.lane.times().copy > times.copy);
    }
};

LOWTIDE_TEST(CardLaneTest)

}  // namespace card_lane_test

#include "card_lane_test.moc"
