// The keyboard alone reaches everything that takes keys, and leaves it again.
#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/access/announce.hpp"
#include "ui/studio/panels.hpp"
#include "ui/studio/settings_dialog.hpp"
#include "ui/theme/responsive_layout.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <set>

namespace lowtide::ui::keyboard_focus_test {

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

/// No parent cuts all of it off; a dock behind the tab of another one lies outside the window.
bool isSeen(const QWidget& widget) {
    QRect rect = widget.rect();
    for (const QWidget* each = &widget; !each->isWindow(); each = each->parentWidget()) {
        rect = rect.translated(each->pos()) & each->parentWidget()->rect();
    }
    return widget.isVisible() && widget.isEnabled() && !rect.isEmpty();
}

/// Tab scrolls to what lies out of sight in a scroll area.
bool canBeScrolledTo(const QWidget& widget) {
    const QWidget* area = widget.parentWidget();
    while (area && !qobject_cast<const QScrollArea*>(area)) {
        area = area->parentWidget();
    }
    return area && widget.isVisible() && widget.isEnabled() && isSeen(*area);
}

/// Everything in the window that Tab should stop at.
std::set<QWidget*> stopsOf(QWidget& window) {
    std::set<QWidget*> stops;
    for (QWidget* each : window.findChildren<QWidget*>()) {
        const bool isStop = (each->focusPolicy() & Qt::TabFocus) == Qt::TabFocus &&
                            !each->focusProxy() && each->window() == &window &&
                            (isSeen(*each) || canBeScrolledTo(*each));
        if (isStop) {
            stops.insert(each);
        }
    }
    return stops;
}

/// Presses the keys until the focus has been everywhere that they lead; the widgets in order.
std::vector<QWidget*> focusChain(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    std::vector<QWidget*> seen;
    for (int i = 0; i < kMostSteps; ++i) {
        QWidget* before = QApplication::focusWidget();
        if (!before) {
            break;
        }
        seen.push_back(before);
        QTest::keyClick(before, key, modifiers);
        QWidget* now = QApplication::focusWidget();
        if (std::find(seen.begin(), seen.end(), now) != seen.end()) {
            break;
        }
    }
    return seen;
}

}  // namespace

class KeyboardFocusTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

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
        studio.widgets().canvas.select({"denoise"});
        studio.widgets().notices.show(NoticeKind::Info, "Something was removed.", "Undo");
        for (const QString& panel : panels) {
            studio.action(qPrintable(panel)).trigger();
        }
        QTest::qWait(100);
        QTRY_VERIFY(QApplication::focusWidget());
        std::set<QWidget*> stops = stopsOf(*studio.window);
        QStringList unreached;  // a screen reader comes down from the window
        for (QWidget* each : stops) {
            QAccessibleInterface* access = QAccessible::queryAccessibleInterface(each);
            while (access && access->object() != &*studio.window) {
                QAccessibleInterface* above = access->parent();
                access = above && above->indexOfChild(access) >= 0 ? above : nullptr;
            }
            // What Qt reports of a menu bar is its menus. The settings have the language too.
            if (!access && each->objectName() != "language") {
                unreached << called(each);
            }
        }
        QVERIFY2(unreached.isEmpty(), qPrintable(unreached.join(u'\n')));
        QStringList unsaid;  // a screen reader has to know what it is, and its name
        for (QWidget* each : stops) {
            QAccessibleInterface* access = QAccessible::queryAccessibleInterface(each);
            if (qobject_cast<QScrollArea*>(each)) {
                continue;  // its parts are what there is to report
            }
            if (access->text(QAccessible::Name).isEmpty() ||
                access->role() == QAccessible::Client || access->role() == QAccessible::NoRole) {
                unsaid << called(each);
            }
        }
        QVERIFY2(unsaid.isEmpty(), qPrintable(unsaid.join(u'\n')));
        const std::vector<QWidget*> seen = focusChain(Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY2(seen.size() < kMostSteps, "the walk does not come back");
        for (QWidget* each : seen) {
            QVERIFY2(isSeen(*each), qPrintable(called(each) + " has the focus unseen"));
            stops.erase(each);
        }
        QStringList missed;
        for (const QWidget* each : stops) {
            missed << called(each);
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u'\n')));
    }

    /// Tab in the canvas adds a node; everywhere else it goes on.
    /// Whatever was made first, and within a part that scrolls.
    void stopsComeAsTheyAreSeen() {
        auto* content = new QWidget;
        auto* below = new QPushButton("below", content);
        auto* above = new QPushButton("above", content);
        auto* column = new QVBoxLayout(content);
        column->addWidget(above);
        column->addWidget(below);
        QWidget window;
        (new QVBoxLayout(&window))->addWidget(new ScrolledPart(content));
        window.show();
        QCOMPARE(stopsInSight(window), (std::vector<QWidget*>{above, below}));
    }

    void tabEndsNowhereButInTheCanvas() {
        Working studio;
        studio.widgets().canvas.select({"denoise"});
        studio.action("view.memory").trigger();
        studio.action("view.inspector").trigger();
        QTest::qWait(100);
        const GraphView& canvas = studio.widgets().canvas;
        const std::vector<QWidget*> seen = focusChain(Qt::Key_Tab);
        QWidget* last = seen.back();
        QVERIFY2(canvas.isAncestorOf(last), qPrintable(called(last)));
        QCOMPARE(last->objectName(), QString("nodeSearchPattern"));
        QTest::keyClick(last, Qt::Key_Escape);
        QVERIFY(canvas.hasFocus());
    }

    void theNextPanelIsOneKeyAway() {
        Working studio;
        // Qt shows what came into a window in sight when events are handled next.
        QTRY_VERIFY(studio.widgets().canvas.isVisible());
        studio.action("view.graph").trigger();
        QVERIFY(studio.widgets().canvas.hasFocus());
        std::vector<QString> areas;
        for (int i = 0; i < 6 && (i == 0 || areas.back() != "centre"); ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier);
            QWidget* focus = QApplication::focusWidget();
            QVERIFY(focus);
            QVERIFY2(isSeen(*focus), qPrintable(called(focus)));
            QWidget* dock = focus;
            while (dock && !qobject_cast<QDockWidget*>(dock) && dock->objectName() != "centre") {
                dock = dock->parentWidget();
            }
            QVERIFY2(dock, qPrintable(called(focus)));
            areas.push_back(dock->objectName());
        }
        QVERIFY(areas.size() >= 3);
        QCOMPARE(std::set<QString>(areas.begin(), areas.end()).size(), areas.size());
        QCOMPARE(areas.back(), QString("centre"));
        QVERIFY(studio.widgets().canvas.hasFocus());
        QTest::keyClick(
            QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!studio.widgets().canvas.hasFocus());
    }

    /// Who comes back to a panel is where the keyboard was.
    void aPanelKeepsItsPosition() {
        Working studio;
        studio.action("view.queue").trigger();
        studio.action("view.models").trigger();
        QWidget* widget = QApplication::focusWidget();
        QTest::keyClick(widget, Qt::Key_Tab);
        widget = QApplication::focusWidget();
        QVERIFY(widget);
        QTest::keyClick(widget, Qt::Key_F6, Qt::ControlModifier);
        QVERIFY(QApplication::focusWidget() != widget);
        QTest::keyClick(
            QApplication::focusWidget(), Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(called(QApplication::focusWidget()), called(widget));
    }

    /// The focus ring, or whatever shows the focus, is seen at every stop.
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
        for (QWidget* each : focusChain(Qt::Key_Backtab, Qt::ShiftModifier)) {
            each->setFocus(Qt::TabFocusReason);
            const QImage with = each->grab().toImage();
            studio.window->setFocus();
            if (each->grab().toImage() == with) {
                unseen << called(each);
            }
        }
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join(u'\n')));
    }

    /// At 150 % a screen of 1920 x 1080 pixels has 1280 x 720 left, as one of 2560 x 1440 at 200 %.
    void everythingFitsAnUsualScreenMadeLarger() {
        Working studio;
        const QSize available(1280, 720);
        QVERIFY2(studio.window->minimumSizeHint().width() <= available.width() &&
                     studio.window->minimumSizeHint().height() <= available.height(),
                 qPrintable(QString("%1 x %2")
                                .arg(studio.window->minimumSizeHint().width())
                                .arg(studio.window->minimumSizeHint().height())));
        studio.window->resize(available);
        studio.widgets().canvas.select({"denoise"});
        studio.action("view.inspector").trigger();
        QTest::qWait(100);
        QStringList widths;
        for (const QDockWidget* dock : studio.window->findChildren<QDockWidget*>()) {
            widths << QString("%1 needs %2 x %3")
                          .arg(dock->objectName())
                          .arg(dock->minimumSizeHint().width())
                          .arg(dock->minimumSizeHint().height());
        }
        QVERIFY2(studio.window->size() == available, qPrintable(widths.join(u'\n')));
        QCOMPARE(test::textProblems(*studio.window), QStringList());
        test::keepScreenshot(*studio.window, "small_screen");
        SettingsDialog dialog(studio.settings, {"cpu"}, "/pictures");
        dialog.show();
        QVERIFY(dialog.height() <= available.height() && dialog.width() <= available.width());
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "settings");
    }

    void theEndOfARunIsReported() {
        Working studio;
        const test::HeardEvents heard;
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!lastAnnounced(*studio.window).isEmpty(), kPatience);
        QVERIFY2(lastAnnounced(*studio.window).startsWith(QString::fromUtf8("The run “")),
                 qPrintable(lastAnnounced(*studio.window)));
        QVERIFY(!heard.lines().filter("Alert: ").isEmpty());
    }
};

LOWTIDE_WINDOW_TEST(KeyboardFocusTest)

}  // namespace lowtide::ui::keyboard_focus_test

#include "keyboard_focus_test.moc"
