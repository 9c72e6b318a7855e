// Charts and images in words, and what the mouse does there by keys.
#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "ui/access/announce.hpp"
#include "ui/panels/held_memory.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/panels/timeline_chart.hpp"

#include <QSignalSpy>
#include <QtTest/QtTest>

namespace panel_access_test {

using namespace lowtide;
using namespace lowtide::test;
using namespace lowtide::ui;

namespace {

QString messageOf(QWidget& widget) {
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

    void theGaugeStatesWhatIsHeld() {
        MemoryGauge gauge("gauge");
        gauge.setHeld(
            {.device = "CPU", .weights = 3 * kGiB, .activations = kGiB, .budget = 6 * kGiB});
        QCOMPARE(roleOf(gauge), QAccessible::Chart);
        QCOMPARE(nameOf(gauge), QString("Memory now"));
        const QString message = messageOf(gauge);
        for (const char* part :
             {"CPU", "4.0 GiB of 6.0 GiB", "weights 3.0 GiB", "activations 1.0 GiB"}) {
            QVERIFY2(message.contains(part), qPrintable(message));
        }
    }

    void everyStageOfThePlanIsReported() {
        PlanBars bars;
        const PlanView plan = *planViewOf(recorded("plan.json"));
        bars.setPlan(plan, 8 * kMiB);
        const QString message = messageOf(bars);
        QVERIFY2(message.startsWith("budget 8.0 MiB"), qPrintable(message));
        for (const StageBar& stage : plan.stages) {
            QVERIFY2(message.contains(QString::fromStdString(stage.node) + ": "),
                     qPrintable(message));
        }
    }

    /// A click on a bar shows its node; so do the arrows and Enter.
    void keysMoveThroughTheStagesAndShowTheirNodes() {
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

    void theTimelineStatesHowLongNodesTook() {
        TimelineChart chart;
        chart.setTimeline({.seconds = 12,
                           .compute = {{"denoise", 1, 9}, {"decode", 9, 12}},
                           .held = {{0, kGiB}, {3, 2 * kGiB}}},
                          0);
        const QString message = messageOf(chart);
        for (const char* part : {"12", "denoise: 8", "decode: 3", "held at most 2.0 GiB"}) {
            QVERIFY2(message.contains(part), qPrintable(message));
        }
    }

    void measuredAndPredictedAreReportedOfEveryNode() {
        MeasuredChart chart;
        const MeasuredView view = *measuredViewOf(recorded("report.json"));
        chart.setMeasured(view);
        const QString message = messageOf(chart);
        QVERIFY(message.contains("predicted"));
        for (const MeasuredNode& node : view.nodes) {
            if (node.peak > 0) {
                QVERIFY2(message.contains(QString::fromStdString(node.node)), qPrintable(message));
            }
        }
    }

    void timesOfARehearsalAreThoseOfItsGpu() {
        Json report = recorded("report.json");
        report["plan"]["devices"][0]["rehearsal"] = true;
        MeasuredChart chart;
        chart.setMeasured(*measuredViewOf(report));
        QVERIFY2(messageOf(chart).contains("on such a GPU"), qPrintable(messageOf(chart)));
    }

    void theImageStatesItsNameAndSize() {
        ImageView view;
        QCOMPARE(roleOf(view), QAccessible::Graphic);
        QCOMPARE(messageOf(view), QString("No image is shown."));
        QImage image(64, 32, QImage::Format_RGB32);
        image.fill(Qt::blue);
        view.setImage(levelsOf(image));
        view.setSubject("fox.png");
        QCOMPARE(nameOf(view), QString("Image fox.png"));
        QVERIFY2(messageOf(view).startsWith("64 x 32 pixels"), qPrintable(messageOf(view)));
        view.setCompared(levelsOf(image));
        QVERIFY(messageOf(view).contains("two images"));
    }
};

}  // namespace panel_access_test

LOWTIDE_WINDOW_TEST(panel_access_test::PanelAccessTest)

#include "panel_access_test.moc"
