#include "tests/fixtures/test_program.hpp"
#include "ui/theme/figures.hpp"

#include <QtTest/QtTest>

#include <limits>

namespace figures_test {

using namespace lowtide;
using namespace lowtide::ui;

class FiguresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsWhatWasMeasured_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("moment") << 0.82 << "820 ms";
        QTest::newRow("seconds") << 12.44 << "12.4 s";
        QTest::newRow("minutes") << 200.0 << "3 min 20 s";
        QTest::newRow("hours") << 7500.0 << "2 h 5 min";
    }

    void reportsWhatWasMeasured() {
        QFETCH(double, seconds);
        QTEST(secondsText(seconds), "text");
    }

    void reportsWhatIsForetold_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("moment") << 0.9 << "under 1 s";
        QTest::newRow("seconds") << 39.8 << "about 40 s";
        QTest::newRow("still seconds") << 89.0 << "about 89 s";
        QTest::newRow("minutes") << 150.1 << "about 3 min";
        QTest::newRow("still minutes") << 5340.0 << "about 89 min";
        QTest::newRow("hours") << 524 * 60.0 << "about 8 h 44 min";
        QTest::newRow("whole hours") << 7200.0 << "about 2 h";
    }

    void reportsWhatIsForetold() {
        QFETCH(double, seconds);
        QTEST(durationText(seconds), "text");
    }

    void reportsHowFarWorkIs_data() {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        QTest::addColumn<QString>("phase");
        QTest::addColumn<double>("left");
        QTest::addColumn<QString>("text");
        QTest::newRow("both") << "step 4 of 20" << 12.2 << "step 4 of 20, about 12 s left";
        QTest::newRow("no phase") << "" << 0.2 << "under 1 s left";
        QTest::newRow("no figure") << "step 4 of 20" << kNan << "step 4 of 20";
        QTest::newRow("behind") << "step 4 of 20" << -1.0 << "step 4 of 20";
    }

    void reportsHowFarWorkIs() {
        QFETCH(QString, phase);
        QFETCH(double, left);
        QTEST(progressText(phase, left), "text");
        QCOMPARE(progressText(phase, std::nullopt), phase);
    }

    void countsDownLikeAClock_data() {
        testing::addTable<double, QString>({"seconds", "text"},
                                           {{"over", -3.0, "0:00"},
                                            {"a moment", 0.2, "0:01"},
                                            {"seconds", 8, "0:08"},
                                            {"a minute", 60, "1:00"},
                                            {"minutes", 99.6, "1:40"},
                                            {"nearly an hour", 3599, "59:59"},
                                            {"an hour", 3600, "1 h"},
                                            {"hours", 7500, "2 h 5 min"}});
    }

    void countsDownLikeAClock() {
        QFETCH(double, seconds);
        QTEST(clockText(seconds), "text");
    }
};

LOWTIDE_TEST(FiguresTest)

}  // namespace figures_test

#include "figures_test.moc"
