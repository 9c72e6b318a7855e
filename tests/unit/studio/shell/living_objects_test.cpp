#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QCoreApplication>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <QThread>
#include <QtTest/QtTest>
#include <QtWidgets>

#include <mutex>
#include <unordered_set>

/// Of qtbase's private/qhooks_p.h: a table of functions for debuggers, in every build of Qt 6.
extern Q_CORE_EXPORT quintptr qtHookData[];

namespace living_objects_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// Counts the QObjects of this process from its making on, by Qt's own hooks for debuggers (one
/// at a time; any thread makes and deletes objects meanwhile).
class LivingObjects {
public:
    LivingObjects();
    ~LivingObjects();
    LivingObjects(const LivingObjects&) = delete;
    LivingObjects& operator=(const LivingObjects&) = delete;

    /// "QTimer 2": what was made since then and still lives, by class. Objects that wait for
    /// deleteLater() are deleted first. GUI thread only.
    [[nodiscard]] QStringList living() const;
};

// Of QHooks::HookIndex (Qt 6.0 to 6.9).
constexpr int kAddObject = 3;
constexpr int kRemoveObject = 4;
/// Qt's gesture manager keeps one for each scroll area that there was (seen in a program of Qt
/// alone, 6.4.2).
constexpr const char* kKeptByQt = "QPanGesture";

std::mutex& lock() {
    static std::mutex mutex;
    return mutex;
}

std::unordered_set<QObject*>& objects() {
    static std::unordered_set<QObject*> made;
    return made;
}

void add(QObject* object) {
    const std::lock_guard guard(lock());
    objects().insert(object);
}

void remove(QObject* object) {
    const std::lock_guard guard(lock());
    objects().erase(object);
}

LivingObjects::LivingObjects() {
    objects().clear();
    qtHookData[kAddObject] = reinterpret_cast<quintptr>(&add);
    qtHookData[kRemoveObject] = reinterpret_cast<quintptr>(&remove);
}

LivingObjects::~LivingObjects() {
    qtHookData[kAddObject] = 0;
    qtHookData[kRemoveObject] = 0;
}

QStringList LivingObjects::living() const {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QMap<QString, int> counts;
    const std::lock_guard guard(lock());
    for (const QObject* object : objects()) {
        const QString name = QString::fromLatin1(object->metaObject()->className());
        if (object->thread() == QThread::currentThread() && name != QLatin1String(kKeptByQt)) {
            ++counts[name];
        }
    }
    QStringList lines;
    for (auto each = counts.cbegin(); each != counts.cend(); ++each) {
        lines.append(QStringLiteral("%1 %2").arg(each.key()).arg(each.value()));
    }
    return lines;
}

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
        const LivingObjects objects;
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
        const LivingObjects objects;
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
        const LivingObjects objects;
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
