#include "plugin/memory/ledger.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace timeline_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int kGroups = 100;

LedgerEvent moveAt(int number, double seconds, const std::string& node) {
    return {.seconds = seconds,
            .what = number % 2 == 0 ? "copy" : "evict",
            .device = "fake",
            .node = node,
            .subject = "denoiser.layer" + std::to_string(number / 2 % kGroups),
            .bytes = 3};
}

/// Two nodes one after the other, each with so many copies and evictions.
Timeline lineOf(int moves) {
    Timeline line;
    double now = 0;
    for (const char* node : {"encode", "denoise"}) {
        line.add({.seconds = now, .what = "enter", .node = node});
        for (int i = 0; i < moves; ++i) {
            line.add(moveAt(i, now += 1e-4, node));
        }
        line.add({.seconds = now, .what = "leave", .node = node});
    }
    return line;
}

int64_t sumOf(const Timeline& line, const std::string& what, const std::string& node) {
    int64_t sum = 0;
    for (const LedgerEvent& moment : line.moments()) {
        sum += moment.what == what && moment.node == node ? moment.bytes : 0;
    }
    return sum;
}

}  // namespace

class TimelineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void keepsEveryMoment_ofAShortRun() {
        const Timeline line = lineOf(Timeline::kMostMoves / 2);

        QCOMPARE(line.moments().size(), Timeline::kMostMoves + 4);
        for (const LedgerEvent& moment : line.moments()) {
            QCOMPARE(moment.count, int64_t{1});
        }
        QVERIFY(!toJson(line.moments()).at(1).contains("count"));
    }

    void isSmall_howeverLongTheRun_data() {
        QTest::addColumn<int>("moves");
        for (const int moves : {1001, 5000, 300000}) {
            QTest::newRow(qPrintable(QString::number(moves))) << moves;
        }
    }

    void isSmall_howeverLongTheRun() {
        QFETCH(int, moves);

        const Timeline line = lineOf(moves);

        QVERIFY2(line.moments().size() <= Timeline::kMostMoves + 4,
                 qPrintable(QString::number(line.moments().size())));
        QVERIFY(line.moments().size() > Timeline::kMostMoves / 8);  // still a line
        double before = 0;
        int64_t count = 0;
        for (const LedgerEvent& moment : line.moments()) {
            QVERIFY(moment.seconds >= before);
            before = moment.seconds;
            count += moment.count;
        }
        QCOMPARE(count, int64_t{2} * moves + 4);
        for (const char* node : {"encode", "denoise"}) {
            QCOMPARE(sumOf(line, "copy", node), int64_t{3} * ((moves + 1) / 2));
            QCOMPARE(sumOf(line, "evict", node), int64_t{3} * (moves / 2));
        }
        const auto& first = line.moments().front();
        const auto& last = line.moments().back();
        QVERIFY(first.what == "enter" && first.node == "encode");
        QVERIFY(last.what == "leave" && last.node == "denoise");
    }

    void countsTheMovesOfEachGroup() {
        const Timeline line = lineOf(10000);

        QCOMPARE(line.moves().size(), size_t{kGroups});
        for (const auto& [position, moves] : line.moves()) {
            QCOMPARE(moves.copies, int64_t{2 * 10000 / 2 / kGroups});
            QCOMPARE(moves.copied, 3 * moves.copies);
            QCOMPARE(moves.evictions, moves.copies);
        }
        const Json json = toJson(line.moves());
        QCOMPARE(json.at(0).at("device"), Json("fake"));
        QCOMPARE(json.at(0).at("group"), Json("denoiser.layer0"));
    }

    void startsOver() {
        Timeline line = lineOf(5000);

        line.clear();

        QVERIFY(line.moments().empty() && line.moves().empty());
        line.add(moveAt(0, 1, "encode"));
        line.add(moveAt(0, 1, "encode"));
        QCOMPARE(line.moments().size(), size_t{2});
    }
};

LOWTIDE_TEST(TimelineTest)

}  // namespace timeline_test

#include "timeline_test.moc"
