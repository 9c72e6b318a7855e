// Charts and pictures in words, and what the mouse does there by keys.
#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "ui/access/announce.hpp"
#include "ui/panels/held_memory.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/picture_view.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/panels/timeline_chart.hpp"

#include <QSignalSpy>
#include <QtTest/QtTest>

namespace panel_access_test {

using namespace lowtide;
using namespace lowtide::test;
using namespace lowtide::ui;

namespace {

QString saidOf(QWidget& widget) {
    return QAccessible::queryAccessibleInterface(&widget)->text(QAccessible::Description);
}

QAccessible::Role roleOf(QWidget& widget) {
    return QAccessible::queryAccessibleInterface(&widget)->role();
}

QString nameOf(QWidget& widget) {
    return QAccessible::queryAccessibleInterface(&widget)->text(QAccessible::Name);
}

}  // namespace

class PanelAccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { failOnQtWarnings(); }

    void initTestCase() { PanelBench::useTheme(false); }

    void theGaugeSaysWhatIsHeld() {
        MemoryGauge gauge("gauge");
        gauge.setHeld(
            {.device = "CPU", .weights = 3 * kGiB, .activations = kGiB, .budget = 6 * kGiB});
        QCOMPARE(roleOf(gauge), QAccessible::Chart);
        QCOMPARE(nameOf(gauge), QString("Memory now"));
        const QString said = saidOf(gauge);
        for (const char* part :
             {"CPU", "4.0 GiB of 6.0 GiB", "weights 3.0 GiB", "activations 1.0 GiB"}) {
            QVERIFY2(said.contains(part), qPrintable(said));
        }
    }

    void everyStageOfThePlanIsSaid() {
        PlanBars bars;
        const PlanView plan = *planViewOf(recorded("plan.json"));
        bars.setPlan(plan, 8 * kMiB);
        const QString said = saidOf(bars);
        QVERIFY2(said.startsWith("budget 8.0 MiB"), qPrintable(said));
        for (const StageBar& stage : plan.stages) {
            QVERIFY2(said.contains(QString::fromStdString(stage.node) + ": "), qPrintable(said));
        }
    }

    /// A click on a bar shows its node; so do the arrows and Enter.
    void keysWalkTheStagesAndShowTheirNodes() {
        PlanBars bars;
        const PlanView plan = *planViewOf(recorded("plan.json"));
        bars.setPlan(plan, 8 * kMiB);
        bars.resize(400, bars.sizeHint().height());
        bars.show();
        const HeardEvents heard;
        QSignalSpy shown(&bars, &PlanBars::nodeActivated);
        QVERIFY(plan.stages.size() > 2);
        QTest::keyClick(&bars, Qt::Key_Down);
        QVERIFY(lastAnnounced(bars).startsWith(QString::fromStdString(plan.stages[1].node)));
        QTest::keyClick(&bars, Qt::Key_Return);
        QCOMPARE(shown.front().at(0).value<std::string>(), plan.stages[1].node);
        QTest::keyClick(&bars, Qt::Key_End);
        QTest::keyClick(&bars, Qt::Key_Down);
        QVERIFY(lastAnnounced(bars).startsWith(QString::fromStdString(plan.stages.back().node)));
        bars.setPlan({}, 0);
        QTest::keyClick(&bars, Qt::Key_Return);
        QTest::keyClick(&bars, Qt::Key_Up);
        QCOMPARE(shown.count(), 1);
    }

    void theTimelineSaysHowLongNodesTook() {
        TimelineChart chart;
        chart.setTimeline({.seconds = 12,
                           .compute = {{"denoise", 1, 9}, {"decode", 9, 12}},
                           .held = {{0, kGiB}, {3, 2 * kGiB}}},
                          0);
        const QString said = saidOf(chart);
        for (const char* part : {"12", "denoise: 8", "decode: 3", "held at most 2.0 GiB"}) {
            QVERIFY2(said.contains(part), qPrintable(said));
        }
    }

    void measuredAndPredictedAreSaidOfEveryNode() {
        MeasuredChart chart;
        const MeasuredView view = *measuredViewOf(recorded("report.json"));
        chart.setMeasured(view);
        const QString said = saidOf(chart);
        QVERIFY(said.contains("predicted"));
        for (const MeasuredNode& node : view.nodes) {
            if (node.peak > 0) {
                QVERIFY2(said.contains(QString::fromStdString(node.node)), qPrintable(said));
            }
        }
    }

    void thePictureSaysItsNameAndSize() {
        PictureView view;
        QCOMPARE(roleOf(view), QAccessible::Graphic);
        QCOMPARE(saidOf(view), QString("No picture is shown."));
        QImage image(64, 32, QImage::Format_RGB32);
        image.fill(Qt::blue);
        view.setPicture(levelsOf(image));
        view.setSubject("fox.png");
        QCOMPARE(nameOf(view), QString("Picture fox.png"));
        QVERIFY2(saidOf(view).startsWith("64 x 32 pixels"), qPrintable(saidOf(view)));
        view.setCompared(levelsOf(image));
        QVERIFY(saidOf(view).contains("two pictures"));
    }
};

}  // namespace panel_access_test

LOWTIDE_WINDOW_TEST(panel_access_test::PanelAccessTest)

#include "panel_access_test.moc"
