// A walk through the window: callouts next to what they name, left at any moment.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/studio/tour.hpp"

namespace tour_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A window in which somebody takes the tour.
struct Touring : Working {
    Touring() {
        action("help.tour").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(tour() && tour()->isVisible(), kPatience);
    }

    [[nodiscard]] Tour* tour() { return window->findChild<Tour*>(); }

    [[nodiscard]] QString title() { return window->findChild<QLabel*>("tourTitle")->text(); }

    [[nodiscard]] QRect named() { return window->findChild<QWidget*>("tourFrame")->geometry(); }
};

}  // namespace

class TourTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aCalloutStandsNextToWhatItNames_data() {
        QTest::addColumn<QRect>("target");
        QTest::addColumn<bool>("isFree");
        QTest::newRow("a button above") << QRect(500, 30, 60, 30) << true;
        QTest::newRow("a panel on the left") << QRect(0, 60, 280, 840) << true;
        QTest::newRow("a panel on the right") << QRect(1000, 60, 440, 840) << true;
        QTest::newRow("a panel below") << QRect(300, 650, 840, 250) << true;
        QTest::newRow("the corner") << QRect(1400, 0, 40, 20) << true;
        QTest::newRow("all of the window") << QRect(0, 0, 1440, 900) << false;
    }

    void aCalloutStandsNextToWhatItNames() {
        QFETCH(QRect, target);
        QFETCH(bool, isFree);
        const QRect window(0, 0, 1440, 900);
        const QRect callout = calloutRect(window, target, {320, 140});
        QCOMPARE(callout.size(), QSize(320, 140));
        QVERIFY(window.contains(callout));
        QCOMPARE(!callout.intersects(target), isFree);
    }

    void namesOneThingAfterTheOther() {
        Touring studio;
        Tour& tour = *studio.tour();
        const size_t count = tour.count();
        QStringList titles;
        for (size_t stop = 0; stop < count; ++stop) {
            QTest::qWait(50);  // panels are laid out
            QCOMPARE(tour.stop(), stop);
            QVERIFY(studio.window->rect().contains(tour.geometry()));
            QVERIFY2(!studio.named().isEmpty(), qPrintable(studio.title()));
            QCOMPARE(test::textProblems(tour).join("\n"), QString());
            QVERIFY(tour.accessibleName().startsWith(studio.title()));
            titles << studio.title();
            if (stop == 0) {
                test::keepScreenshot(*studio.window, "tour");
            }
            test::press(Qt::Key_Return);
        }
        QCOMPARE(titles.removeDuplicates(), qsizetype{0});
        QTRY_VERIFY(!studio.tour());
    }

    void itsButtonsGoOnAndBack_andTabRemainsWithin() {
        Touring studio;
        Tour& tour = *studio.tour();
        const auto click = [&](const char* name) {
            auto* button = tour.findChild<QPushButton*>(name);
            test::click(*button, button->rect().center());
        };
        QVERIFY(!tour.findChild<QPushButton*>("tourBack")->isEnabled());
        click("tourNext");
        click("tourNext");
        click("tourBack");
        QCOMPARE(tour.stop(), size_t{1});
        for (int step = 0; step < 4; ++step) {
            test::press(Qt::Key_Tab);
            QVERIFY(tour.isAncestorOf(QApplication::focusWidget()));
        }
    }

    void escapeLeavesIt_whereverTheKeyboardIs() {
        Touring studio;
        studio.widgets().canvas.setFocus();
        test::press(Qt::Key_Escape);
        QTRY_VERIFY(!studio.tour());
        QVERIFY(!studio.window->findChild<QWidget*>("tourFrame"));
        QVERIFY(!studio.window->isWindowModified());
    }

    void isOfferedOnceAfterTheFirstStart() {
        SmallPlugin plugin;
        Opened opened([&plugin]() -> Plugin& { return plugin; }, true);
        answer("firstStart", [](QDialog& dialog) {
            QTest::mouseClick(dialog.findChild<QPushButton*>("emptyGraph"), Qt::LeftButton);
        });
        QTRY_VERIFY_WITH_TIMEOUT(opened.settings.preferences().isFirstStartDone, kPatience);
        QTRY_VERIFY2_WITH_TIMEOUT(opened.widgets().notices.text().contains("tour"),
                                  qPrintable(opened.widgets().notices.text()),
                                  kPatience);
        QVERIFY(!opened.window->findChild<Tour*>());
        opened.window.reset();

        opened.make([&plugin]() -> Plugin& { return plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        QTest::qWait(100);
        QVERIFY(!opened.widgets().notices.text().contains("tour"));
        opened.window.reset();
    }
};

LOWTIDE_WINDOW_TEST(TourTest)

}  // namespace tour_test

#include "tour_test.moc"
