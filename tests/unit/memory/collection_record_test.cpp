#include "plugin/memory/collection.hpp"
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

}  // namespace

/// What the line of a collection states.
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
    void savesWhatItsFiguresState_data() {
        QTest::addColumn<Bytes>("step");
        for (const Bytes step : {Bytes{1}, kMiB, 5 * kMiB + 12345, 37 * kMiB, 555 * kMiB}) {
            QTest::addRow("%lld", static_cast<long long>(step)) << step;
        }
    }

    void savesWhatItsFiguresState() {
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
};

LOWTIDE_TEST(CollectionRecordTest)

}  // namespace collection_record_test

#include "collection_record_test.moc"
