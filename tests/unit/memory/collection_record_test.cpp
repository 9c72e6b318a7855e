#include "plugin/memory/collection_record.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtCore/QRegularExpression>
#include <QtTest/QtTest>

namespace collection_record_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

CollectionRecord record(Bytes deviceBefore, Bytes hostBefore, Bytes deviceAfter, Bytes hostAfter) {
    const MemoryState before{.deviceUsed = deviceBefore,
                             .deviceCapacity = 10 * kGiB,
                             .hostUsed = hostBefore,
                             .hostTotal = 40 * kGiB};
    MemoryState after = before;
    after.deviceUsed = deviceAfter;
    after.hostUsed = hostAfter;
    after.retries = 2;
    after.outOfMemory = 1;
    return {.point = "prompt encode",
            .node = "encode",
            .device = "cuda:0",
            .threshold = 70,
            .collected = 3,
            .before = before,
            .after = after,
            .seconds = 0.024};
}

/// A point that is `used` percent full, of which `collectable` could go.
CollectionMeasurement point(double used, double collectable, double left) {
    return {.used = {.device = used},
            .collectable = {.device = collectable},
            .left = {.device = left},
            .ran = left < collectable,
            .seconds = left < collectable ? 0.5 : 0};
}

constexpr std::array<int, 4> kThresholds = {0, 50, 70, 90};

const ReplayedThreshold& of(const Replay& replayed, int threshold) {
    for (const ReplayedThreshold& each : replayed.thresholds) {
        if (each.threshold == threshold) {
            return each;
        }
    }
    throw std::runtime_error("not replayed");
}

}  // namespace

/// What a collection's line says and what a recorded run teaches.
class CollectionRecordTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void hasItsFieldsInOrder() {
        const std::string line = toLine(record(7 * kGiB, 5 * kGiB, 6 * kGiB, 4 * kGiB));

        QCOMPARE(line,
                 std::string("GC: utilization={'gpu': 70, 'ram': 13, 'threshold': 70} "
                             "gc={'collected': 3, 'saved': 2.00} "
                             "before={'gpu': 7.00, 'ram': 5.00} "
                             "after={'gpu': 6.00, 'ram': 4.00, 'retries': 2, 'oom': 1} "
                             "device=cuda:0 fn=prompt_encode time=0.02"));
    }

    /// Also where every figure is rounded.
    void savesWhatItsFiguresSay_data() {
        QTest::addColumn<Bytes>("step");
        for (const Bytes step : {Bytes{1}, kMiB, 5 * kMiB + 12345, 37 * kMiB, 555 * kMiB}) {
            QTest::addRow("%lld", static_cast<long long>(step)) << step;
        }
    }

    void savesWhatItsFiguresSay() {
        QFETCH(Bytes, step);
        const CollectionRecord made =
            record(5 * kGiB, 3 * kGiB + step / 3, 5 * kGiB - step, 3 * kGiB - step / 2);
        const QRegularExpression form(
            "'saved': ([-0-9.]+)} before={'gpu': ([0-9.]+), 'ram': ([0-9.]+)} "
            "after={'gpu': ([0-9.]+), 'ram': ([0-9.]+)");

        const auto match = form.match(QString::fromStdString(toLine(made)));

        QVERIFY(match.hasMatch());
        const auto figure = [&](int index) {
            return qRound64(match.captured(index).toDouble() * 100);
        };
        QCOMPARE(figure(1), figure(2) - figure(4) + figure(3) - figure(5));
        QCOMPARE(made.saved(), step + step / 3 + step / 2);
    }

    void countsOneMemoryOnce_whereTheDeviceIsTheHost() {
        CollectionRecord made = record(5 * kGiB, 5 * kGiB, 4 * kGiB, 4 * kGiB);
        QCOMPARE(made.saved(), 2 * kGiB);

        made.before.deviceIsHost = made.after.deviceIsHost = true;

        QCOMPARE(made.saved(), kGiB);
        QVERIFY(toLine(made).find("'saved': 1.00") != std::string::npos);
        QCOMPARE(toJson(made)["gc"]["saved"], Json(kGiB));
    }

    /// 20 % become collectable at each of four points, over 30 % that live.
    void replaysWhatWouldHaveHappened() {
        const std::vector<CollectionMeasurement> always = {
            point(50, 20, 0), point(50, 20, 0), point(50, 20, 0), point(50, 20, 0)};

        const Replay replayed = replay(always, kThresholds);

        QCOMPARE(of(replayed, 0).collections, 4);
        QCOMPARE(of(replayed, 50).collections, 4);
        QCOMPARE(of(replayed, 70).collections, 2);
        QCOMPARE(of(replayed, 90).collections, 1);
        QCOMPARE(of(replayed, 0).highestUtilization, 50.0);
        QCOMPARE(of(replayed, 70).highestUtilization, 70.0);
        QCOMPARE(of(replayed, 90).highestUtilization, 90.0);
        QCOMPARE(of(replayed, 70).seconds, 1.0);
        QCOMPARE(replayed.best, 90);
    }

    /// The same run recorded without a collection.
    void repliesTheSame_whateverTheRunWasRecordedWith() {
        const std::vector<CollectionMeasurement> never = {
            point(50, 20, 20), point(70, 40, 40), point(90, 60, 60), point(110, 80, 80)};

        const Replay replayed = replay(never, kThresholds);

        QCOMPARE(of(replayed, 0).collections, 4);
        QCOMPARE(of(replayed, 70).collections, 2);
        QCOMPARE(of(replayed, 90).collections, 1);
        QCOMPARE(of(replayed, 90).highestUtilization, 90.0);
    }

    void prefersAThresholdThatKeepsBelowTheLimit() {
        const std::vector<CollectionMeasurement> full = {
            point(80, 20, 0), point(80, 20, 0), point(80, 20, 0)};

        const Replay replayed = replay(full, kThresholds);

        // 90: 80, then 100, which is over the limit. The others collect at each point.
        QCOMPARE(of(replayed, 90).highestUtilization, 100.0);
        QCOMPARE(of(replayed, 70).collections, 3);
        QCOMPARE(replayed.best, 70);
        QCOMPARE(replay(full, std::array{90, 70, 50, 0}).best, 70);
    }

    void namesTheLeastFull_whenNoneStaysBelow() {
        const std::vector<CollectionMeasurement> full = {
            point(97, 10, 0), point(97, 10, 10), point(99, 12, 0)};

        QCOMPARE(replay(full, kThresholds).best, 90);  // all collect at each point: the largest
    }

    void aFailedAllocationCollectsUnderEveryThreshold() {
        CollectionMeasurement failed = point(10, 5, 0);
        failed.hasFailedAllocation = true;

        const Replay replayed = replay(std::vector{failed}, kThresholds);

        QCOMPARE(of(replayed, 90).collections, 1);
    }

    void collectsNothing_whereNothingIsToCollect() {
        const std::vector<CollectionMeasurement> clean = {
            point(80, 0, 0), point(80, 5, 0), point(80, 0, 0)};

        const Replay replayed = replay(clean, kThresholds);

        QCOMPARE(of(replayed, 0).collections, 1);
        QCOMPARE(of(replayed, 90).collections, 0);
    }

    void tellsTheReplayAsJson() {
        const Json json = toJson(replay(std::vector{point(60, 1, 1)}, kThresholds));

        QCOMPARE(json["thresholds"].size(), size_t{4});
        QCOMPARE(json["thresholds"][1]["collections"], Json(1));
        QCOMPARE(json["best"], Json(90));
    }
};

LOWTIDE_TEST(CollectionRecordTest)

}  // namespace collection_record_test

#include "collection_record_test.moc"
