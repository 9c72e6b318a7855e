// The keyboard alone reaches everything that takes keys, and leaves it again.
#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/access/announce.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <set>

namespace lowtide::ui::keyboard_walk_test {

namespace {

constexpr int kMostSteps = 600;

QString called(const QWidget* widget) {
    QStringList names;
    for (; widget; widget = widget->parentWidget()) {
        names.prepend(widget->objectName().isEmpty() ? widget->metaObject()->className()
                                                     : widget->objectName());
    }
    return names.join('/');
}

/// A dock behind the tab of another one is not seen.
bool isSeen(const QWidget& widget) {
    return widget.isVisible() && widget.isEnabled() && !widget.visibleRegion().isEmpty();
}

/// Everything in the window that Tab should stop at.
std::set<QWidget*> stopsOf(QWidget& window) {
    std::set<QWidget*> stops;
    for (QWidget* each : window.findChildren<QWidget*>()) {
        const bool isStop = (each->focusPolicy() & Qt::TabFocus) == Qt::TabFocus &&
                            !each->focusProxy() && each->window() == &window && isSeen(*each);
        if (isStop) {
            stops.insert(each);
        }
    }
    return stops;
}

/// Presses the keys until the focus has been everywhere that they lead; the widgets in order.
std::vector<QWidget*> walk(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    std::vector<QWidget*> seen;
    for (int i = 0; i < kMostSteps; ++i) {
        QWidget* before = QApplication::focusWidget();
        if (!before) {
            break;
        }
        seen.push_back(before);
        QTest::keyClick(before, key, modifiers);
        QWidget* now = QApplication::focusWidget();
        if (now == before || now == seen.front()) {
            break;
        }
    }
    return seen;
}

}  // namespace

class KeyboardWalkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void backTabReachesEverything_data() {
        QTest::addColumn<QStringList>("panels");
        QTest::newRow("first panels") << QStringList{"view.inspector", "view.memory"};
        QTest::newRow("lists") << QStringList{"view.presets", "view.queue", "view.generate"};
        QTest::newRow("models") << QStringList{"view.models", "view.issues"};
        QTest::newRow("viewer") << QStringList{"view.viewer"};
        QTest::newRow("gallery") << QStringList{"view.gallery"};
    }

    /// Shift+Tab leaves the canvas too, so it walks through the whole window and comes back.
    void backTabReachesEverything() {
        QFETCH(QStringList, panels);
        Working studio;
        studio.window->desk()->canvas().select({"denoise"});
        for (const QString& panel : panels) {
            studio.action(qPrintable(panel)).trigger();
        }
        QTest::qWait(100);
        QTRY_VERIFY(QApplication::focusWidget());
        std::set<QWidget*> stops = stopsOf(*studio.window);
        const std::vector<QWidget*> seen = walk(Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY2(seen.size() < kMostSteps, "the walk does not come back");
        for (QWidget* each : seen) {
            QVERIFY2(isSeen(*each), qPrintable(called(each) + " has the focus unseen"));
            stops.erase(each);
        }
        QStringList missed;
        for (const QWidget* each : stops) {
            missed << called(each);
        }
        QCOMPARE(missed, QStringList());
    }

    /// Tab in the canvas adds a node; everywhere else it goes on.
    void tabEndsNowhereButInTheCanvas() {
        Working studio;
        studio.window->desk()->canvas().select({"denoise"});
        studio.action("view.memory").trigger();
        studio.action("view.inspector").trigger();
        QTest::qWait(100);
        const std::vector<QWidget*> seen = walk(Qt::Key_Tab);
        QWidget* last = seen.back();
        QVERIFY2(last == &studio.window->desk()->canvas() || seen.size() < kMostSteps,
                 qPrintable(called(last)));
        for (size_t i = 0; i + 1 < seen.size(); ++i) {
            QVERIFY2(seen[i] != &studio.window->desk()->canvas() || i == 0, "Tab left the canvas");
        }
    }

    void theNextPanelIsOneKeyAway() {
        Working studio;
        studio.action("view.graph").trigger();
        QTRY_VERIFY(studio.window->desk()->canvas().hasFocus());
        std::vector<QString> places;
        for (int i = 0; i < 4; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier);
            QWidget* focus = QApplication::focusWidget();
            QVERIFY(focus);
            QVERIFY(isSeen(*focus));
            QWidget* dock = focus;
            while (dock && !qobject_cast<QDockWidget*>(dock) && dock->objectName() != "centre") {
                dock = dock->parentWidget();
            }
            QVERIFY2(dock, qPrintable(called(focus)));
            places.push_back(dock->objectName());
        }
        QCOMPARE(std::set<QString>(places.begin(), places.end()).size(), size_t{4});
        QCOMPARE(places.back(), QString("centre"));
        QVERIFY(studio.window->desk()->canvas().hasFocus());
        QTest::keyClick(
            QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!studio.window->desk()->canvas().hasFocus());
    }

    /// Who comes back to a panel is where the keyboard was.
    void aPanelKeepsItsPlace() {
        Working studio;
        studio.action("view.queue").trigger();
        studio.action("view.generate").trigger();
        QWidget* place = QApplication::focusWidget();
        QTest::keyClick(place, Qt::Key_Tab);
        place = QApplication::focusWidget();
        QVERIFY(place);
        QTest::keyClick(place, Qt::Key_F6, Qt::ControlModifier);
        QVERIFY(QApplication::focusWidget() != place);
        QTest::keyClick(
            QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(called(QApplication::focusWidget()), called(place));
    }

    /// The ring, or whatever tells the focus, is seen at every stop.
    void theFocusIsSeenEverywhere_data() {
        QTest::addColumn<QString>("theme");
        for (const char* theme : {"light", "dark", "light_contrast", "dark_contrast"}) {
            QTest::newRow(theme) << QString(theme);
        }
    }

    void theFocusIsSeenEverywhere() {
        QFETCH(QString, theme);
        Working studio;
        studio.settings.change([&](Preferences& preferences) { preferences.theme = theme; });
        studio.action("view.inspector").trigger();
        studio.action("view.memory").trigger();
        QTest::qWait(100);
        QStringList unseen;
        for (QWidget* each : walk(Qt::Key_Backtab, Qt::ShiftModifier)) {
            each->setFocus(Qt::TabFocusReason);
            const QImage with = each->grab().toImage();
            studio.window->setFocus();
            if (each->grab().toImage() == with) {
                unseen << called(each);
            }
        }
        QCOMPARE(unseen, QStringList());
    }

    /// At 200 % a screen of 1920 x 1080 pixels has 960 x 540 left.
    void everythingFitsASmallScreenAtTwiceTheSize() {
        Working studio;
        const QSize room(960, 540);
        QVERIFY2(studio.window->minimumSizeHint().width() <= room.width() &&
                     studio.window->minimumSizeHint().height() <= room.height(),
                 qPrintable(QString("%1 x %2")
                                .arg(studio.window->minimumSizeHint().width())
                                .arg(studio.window->minimumSizeHint().height())));
        studio.window->resize(room);
        studio.window->desk()->canvas().select({"denoise"});
        studio.action("view.inspector").trigger();
        QTest::qWait(100);
        QCOMPARE(studio.window->size(), room);
        QCOMPARE(test::textProblems(*studio.window), QStringList());
        test::keepScreenshot(*studio.window, "small_screen");
        SettingsDialog dialog(studio.settings, {"cpu"}, "/pictures");
        dialog.show();
        QVERIFY(dialog.height() <= room.height() && dialog.width() <= room.width());
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "settings");
    }

    void theEndOfARunIsSaid() {
        Working studio;
        const test::HeardEvents heard;
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!lastAnnounced(*studio.window).isEmpty(), kPatience);
        QVERIFY2(lastAnnounced(*studio.window).startsWith(QString::fromUtf8("The run “")),
                 qPrintable(lastAnnounced(*studio.window)));
        QVERIFY(!heard.lines().filter("Alert: ").isEmpty());
    }
};

LOWTIDE_WINDOW_TEST(KeyboardWalkTest)

}  // namespace lowtide::ui::keyboard_walk_test

#include "keyboard_walk_test.moc"
