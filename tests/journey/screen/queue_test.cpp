// Runs that wait, each thing once with the pointer and once with keys alone.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QGuiApplication>
#include <QtTest/QtTest>

namespace queue_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;
using Button = Screen::Button;

namespace {

/// RunState.
constexpr int kWaiting = 0;
constexpr int kRunning = 1;
constexpr int kCancelled = 4;

}  // namespace

class QueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void severalRunsAreAsked();
    void theyAreReordered();
    void theyAreTakenBack();
    void theQueueGoesOn();
    void nothingFollowsTheCurrentRun();
    void waitingRunsComeBack();
    void aRunIsRepeated();
    void endedRunsAreRemoved();

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] QStringList waiting() const;
    [[nodiscard]] int countOf(int state) const;
    void severalByMouse(const QString& times);
    void severalByKeys(const QString& times);
    void setSteps(const QString& steps);
    void close(bool isByMouse);
    void runThemAgain(bool isByMouse);
    [[nodiscard]] std::vector<AtSpi::Object> rows();
    /// Runs of the history, as its title states.
    [[nodiscard]] int ended();
    /// Of the run on the first row.
    void chooseInMenu(bool isByMouse, const QString& entry);

    std::optional<RealStudio> studio_;
};

void QueueTest::initTestCase() {
    studio_.emplace();
    studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
}

/// Keys of the runs, in the order in which they will run.
QStringList QueueTest::waiting() const {
    return studio_->kept("SELECT key FROM runs WHERE state = 0 ORDER BY place");
}

/// Of RunState.
int QueueTest::countOf(int state) const {
    return studio_->kept("SELECT count(*) FROM runs WHERE state = " + QString::number(state))
        .value(0)
        .toInt();
}

void QueueTest::severalByMouse(const QString& times) {
    studio_->clickMenu({"Run", "Run several times"});
    const AtSpi::Object dialog = studio_->shown(Role::Dialog, "Run several times");
    studio_->clickOften(studio_->shown(dialog, Role::SpinButton, "Times"));
    studio_->type(times);
    studio_->click(studio_->shown(dialog, Role::PushButton, "Run"));
    studio_->waitGone(Role::Dialog, "Run several times");
}

void QueueTest::severalByKeys(const QString& times) {
    studio_->press({"ctrl+shift+r"});
    studio_->shown(Role::Dialog, "Run several times");
    studio_->waitFocused(Role::SpinButton, "Times");
    studio_->type(times);
    studio_->press({"Return"});
    studio_->waitGone(Role::Dialog, "Run several times");
}

/// Both questions: what becomes of the runs, and of the graph.
void QueueTest::close(bool isByMouse) {
    const auto answer = [&](const QString& button) {
        studio_->shown(Role::PushButton, button);
        if (isByMouse) {
            studio_->click(Role::PushButton, button);
        } else {
            studio_->goTo(Role::PushButton, button);
            studio_->press({"space"});
        }
        studio_->waitGone(Role::PushButton, button);
    };
    isByMouse ? studio_->clickMenu({"File", "Quit"}) : studio_->press({"ctrl+q"});
    answer("Close and end them");
    studio_->waitForEnd();
}

void QueueTest::runThemAgain(bool isByMouse) {
    if (isByMouse) {
        studio_->click(Role::PushButton, "Choose");
        studio_->click(Role::PushButton, "Run them now");
    } else {
        studio_->press({"alt+r", "l"});
        studio_->waitFocused(Role::PushButton, "Run them now");
        studio_->press({"Return"});
    }
    studio_->waitGone(Role::PushButton, "Run them now");
}

/// Of both lists.
std::vector<AtSpi::Object> QueueTest::rows() {
    std::vector<AtSpi::Object> found;
    for (const char* list : {"Running and waiting", "History"}) {
        if (studio_->isShown(Role::List, list)) {
            const auto rows =
                studio_->reader().allSeen(studio_->shown(Role::List, list), Role::ListItem);
            found.insert(found.end(), rows.begin(), rows.end());
        }
    }
    return found;
}

int QueueTest::ended() {
    const QString title = studio_->reader().name(studio_->shown(Role::Label, "History ("));
    return title.section('(', 1).section(')', 0, 0).toInt();
}

void QueueTest::chooseInMenu(bool isByMouse, const QString& entry) {
    if (isByMouse) {
        studio_->click(Role::PageTab, "Queue");
        studio_->click(rows().at(0), Button::Right);
        studio_->clickEntry(entry);
    } else {
        studio_->press({"alt+8"});
        studio_->waitFocused(Role::ListItem, "");
        studio_->press({"Home", "Menu"});
        studio_->goTo(Role::MenuItem, entry, "Down");
        studio_->press({"Return"});
    }
}

/// Into a queue that is held.
void QueueTest::severalRunsAreAsked() {
    studio_->click(Role::PageTab, "Queue");
    studio_->click(Role::PushButton, "Pause");
    studio_->shown(Role::PushButton, "Continue");
    severalByMouse("3");
    QTRY_COMPARE(countOf(kWaiting), 3);
    severalByKeys("2");
    QTRY_COMPARE(countOf(kWaiting), 5);
    studio_->shown(Role::PageTab, "Queue (5)");
    studio_->keep("queue_waiting");
}

void QueueTest::theyAreReordered() {
    QStringList order = waiting();
    const QRect first = studio_->reader().rect(rows().at(0));
    const QRect third = studio_->reader().rect(rows().at(2));
    studio_->screen().drag(
        {third.center(), first.center(), QPoint(first.center().x(), first.top() + 2)});
    order.move(2, 0);
    QTRY_COMPARE(waiting(), order);
    studio_->press({"alt+8"});
    studio_->waitFocused(Role::ListItem, "");
    studio_->press({"Home", "Down", "alt+Down"});
    order.move(1, 2);
    QTRY_COMPARE(waiting(), order);
    studio_->press({"alt+Up"});
    order.move(2, 1);
    QTRY_COMPARE(waiting(), order);
}

void QueueTest::theyAreTakenBack() {
    QStringList order = waiting();
    chooseInMenu(true, "Cancel now");
    order.removeAt(0);
    QTRY_COMPARE(waiting(), order);
    studio_->press({"alt+8"});
    studio_->waitFocused(Role::ListItem, "");
    studio_->press({"Home", "Delete"});
    order.removeAt(0);
    QTRY_COMPARE(waiting(), order);
    studio_->press({"ctrl+z"});  // it waits again in front of all, as another run
    QTRY_COMPARE(waiting().size(), order.size() + 1);
    QTRY_COMPARE(waiting().mid(1), order);
    studio_->press({"Delete"});
    QTRY_COMPARE(waiting(), order);
    QCOMPARE(countOf(kCancelled), 3);
}

/// By the button, then by keys.
void QueueTest::theQueueGoesOn() {
    studio_->click(Role::PushButton, "Stop after this run");
    QTRY_COMPARE(countOf(kWaiting), 0);
    studio_->click(Role::PushButton, "Continue");
    studio_->shown(Role::PushButton, "Pause");
    studio_->press({"ctrl+shift+p"});
    studio_->shown(Role::PushButton, "Continue");
    studio_->press({"ctrl+Return"});
    QTRY_COMPARE(countOf(kWaiting), 1);
    studio_->press({"ctrl+shift+p"});
    studio_->waitHeard("finished in", RealStudio::kRunPatience);
    QCOMPARE(studio_->images().size(), 1);
}

/// The first of three runs has so many steps that it is cancelled.
void QueueTest::nothingFollowsTheCurrentRun() {
    setSteps("900");
    severalByKeys("3");
    QTRY_COMPARE(countOf(kRunning), 1);
    studio_->press({"ctrl+shift+BackSpace"});
    studio_->waitHeard("2 waiting runs were cancelled");
    QTRY_COMPARE(countOf(kWaiting), 0);
    QCOMPARE(countOf(kRunning), 1);
    studio_->press({"ctrl+alt+Return"});
    QTRY_COMPARE(countOf(kRunning), 0);
    severalByMouse("3");
    QTRY_COMPARE(countOf(kRunning), 1);
    studio_->click(Role::PushButton, "Stop after this run");
    studio_->waitHeard("2 waiting runs were cancelled");
    studio_->click(Role::PushButton, "Cancel");
    QTRY_COMPARE(countOf(kRunning), 0);
    QCOMPARE(studio_->images().size(), 1);
}

/// In the graph that is open, by its row in the inspector.
void QueueTest::setSteps(const QString& steps) {
    studio_->click(studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Denoise"));
    studio_->shown(Role::Label, "Steps");
    studio_->press({"alt+5"});
    studio_->goTo(Role::SpinButton, "Steps");
    studio_->press({"Return", "ctrl+a"});
    studio_->type(steps);
    studio_->press({"Return"});
}

/// Into a studio that is new, in their order.
void QueueTest::waitingRunsComeBack() {
    for (const bool isByMouse : {true, false}) {
        setSteps(isByMouse ? "2" : "3");
        studio_->press({"ctrl+shift+p"});
        severalByKeys("3");
        QTRY_COMPARE(countOf(kWaiting), 3);
        const QStringList seeds =
            studio_->kept("SELECT seed FROM runs WHERE state = 0 ORDER BY place");
        close(isByMouse);
        studio_->start(studio_->path("graph.json"));
        studio_->waitHeard("3 runs had not ended");
        runThemAgain(isByMouse);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio_->kept("SELECT seed FROM runs WHERE state = 2 ORDER BY begun DESC LIMIT 3"),
            (QStringList{seeds[2], seeds[1], seeds[0]}),
            RealStudio::kRunPatience);
    }
    QCOMPARE(studio_->images().size(), 7);
}

/// The run keeps its seed.
void QueueTest::aRunIsRepeated() {
    for (const bool isByMouse : {true, false}) {
        const int before = ended();
        chooseInMenu(isByMouse, "Repeat");
        studio_->waitHeard("finished in", RealStudio::kRunPatience);
        QTRY_COMPARE(ended(), before + 1);
    }
    QCOMPARE(studio_->kept("SELECT count(DISTINCT seed) FROM runs WHERE state = 2"),
             studio_->kept("SELECT count(*) - 2 FROM runs WHERE state = 2"));
}

void QueueTest::endedRunsAreRemoved() {
    const int before = ended();
    chooseInMenu(true, "Remove");
    QTRY_COMPARE(ended(), before - 1);
    studio_->press({"alt+8"});
    studio_->waitFocused(Role::ListItem, "");
    studio_->press({"Delete", "Delete"});  // the next one is selected
    QTRY_COMPARE(ended(), before - 3);
    chooseInMenu(false, "Clear history");
    studio_->waitGone(Role::List, "History");
}

LOWTIDE_SCREEN_TEST(QueueTest)

}  // namespace queue_test

#include "queue_test.moc"
