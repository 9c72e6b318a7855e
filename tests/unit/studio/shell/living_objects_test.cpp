#include "tests/fixtures/living_objects.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace living_objects_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

void press(StudioWindow& window, const char* action) {
    window.actions().at(action).trigger();
    QTest::qWait(10);
}

/// A user's first minute: edits, a run, every panel, another theme.
void workIn(Working& opened) {
    StudioWindow& window = *opened.window;
    GraphView& canvas = window.controller()->widgets().canvas;
    canvas.invoke("edit.select_all");
    press(window, "edit.duplicate");
    press(window, "node.mute");
    press(window, "edit.undo");
    canvas.select({"denoise"});
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_Return);  // an editor over a row
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    canvas.invoke("node.add");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    press(window, "run.start");
    QVERIFY(QTest::qWaitFor([&] { return !window.workspace()->run.isBusy(); }, kPatience));
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        dock->show();
        dock->raise();
        QTest::qWait(5);
    }
    opened.settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
    opened.settings.change([](Preferences& preferences) { preferences.theme = "light"; });
    opened.model().setSaved();
}

}  // namespace

/// Nothing that a window makes outlives it.
class LivingObjectsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theCounterSeesWhatIsLeft() {
        const test::LivingObjects objects;
        auto left = std::make_unique<QTimer>();
        (new QObject)->deleteLater();
        QCOMPARE(objects.living(), QStringList{"QTimer 1"});
        left.reset();
        QCOMPARE(objects.living(), QStringList());
    }

    void aClosedWindowLeavesNothing() {
        {
            Working first;  // what the program makes once: fonts, styles, animations
            workIn(first);
        }
        QTest::qWait(100);
        const test::LivingObjects objects;
        {
            Working opened;
            workIn(opened);
            QVERIFY(objects.living().size() > 20);
        }
        QThreadPool::globalInstance()->waitForDone();  // its idle threads remain for a while
        QTRY_COMPARE(objects.living().join(", "), QString());
    }

    void dialogsGoWithTheirClosing() {
        Working opened;
        const test::LivingObjects objects;
        for (const char* action : {"edit.settings", "edit.keys", "edit.find"}) {
            QTimer::singleShot(50, qApp, [] {
                if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
                    dialog->reject();
                }
            });
            press(*opened.window, action);
            if (auto* dialog = opened.window->findChild<QDialog*>()) {
                dialog->close();
            }
        }
        QTRY_COMPARE(objects.living().filter(QRegularExpression("Dialog|Sheet|FindNode")),
                     QStringList());
    }
};

LOWTIDE_WINDOW_TEST(LivingObjectsTest)

}  // namespace living_objects_test

#include "living_objects_test.moc"
