// As many runs as can be asked for at once, and no event that the window waits for.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/studio_session.hpp"
#include "ui/panels/queue_panel.hpp"
#include "ui/studio/notice_bar.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>

namespace many_runs_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kMany = 1000;
constexpr int kPatience = 60000;

/// As an event of its own, which the watch sees.
void press(QAction& action) {
    QMetaObject::invokeMethod(&action, &QAction::trigger, Qt::QueuedConnection);
}

}  // namespace

class ManyRunsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<StudioSession> studio_;

    [[nodiscard]] RunQueue& queue() { return studio_->workspace().queue; }

    [[nodiscard]] qsizetype waiting() {
        const auto& runs = queue().runs();
        return std::count_if(runs.begin(), runs.end(), [](const QueuedRun& run) {
            return run.state == RunState::Waiting;
        });
    }

    void open() {
        studio_ = std::make_unique<StudioSession>(folder_->path());
        QVERIFY(studio_->isReady());
        studio_->window().actions().at("run.pause").trigger();
        studio_->window().actions().at("view.queue").trigger();
    }

    void runManyTimes(int choice) {
        answerDialog("several", [choice](QDialog& dialog) {
            dialog.findChild<QSpinBox*>("count")->setValue(kMany);
            dialog.findChild<QComboBox*>("seeds")->setCurrentIndex(choice);
            QMetaObject::invokeMethod(dialog.findChild<QPushButton*>("run"),
                                      &QAbstractButton::click,
                                      Qt::QueuedConnection);
        });
        press(studio_->window().actions().at("run.several"));
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), kMany, kPatience);
    }

    /// What follows is done too, and what is written is written.
    void settle() {
        bool isWritten = false;
        studio_->workspace().library->ask([](RunStore& store) { return store.run("x"); },
                                          qApp,
                                          [&](const auto&) { isWritten = true; });
        QTRY_VERIFY_WITH_TIMEOUT(isWritten, kPatience);
        QTest::qWait(100);
    }

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        open();
        settle();
        beginWatch();
    }

    void cleanup() {
        endWatch();
        studio_.reset();
    }

    void theyAreAsked_data() {
        testing::addTable<int>(
            {"seeds"}, {{"a new seed each time", 0}, {"counted", 1}, {"as the nodes state", 2}});
    }

    void theyAreAsked() {
        QFETCH(int, seeds);
        runManyTimes(seeds);
        settle();
    }

    void theyAreTakenBack_andQueuedAgain() {
        runManyTimes(1);
        settle();
        endWatch();
        beginWatch();
        press(studio_->window().actions().at("run.stop_after"));
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), 0, kPatience);
        settle();
        endWatch();
        beginWatch();
        auto* again =
            studio_->controller().widgets().notices.findChild<QPushButton*>("noticeButton");
        QMetaObject::invokeMethod(again, &QAbstractButton::click, Qt::QueuedConnection);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), kMany, kPatience);
        settle();
    }

    void theyAreThereAtTheNextStart() {
        runManyTimes(0);
        settle();
        studio_.reset();
        open();
        settle();
        beginWatch();
        answerDialog("runsLeftOpen", [](QDialog& dialog) {
            QMetaObject::invokeMethod(dialog.findChild<QPushButton*>("runAgain"),
                                      &QAbstractButton::click,
                                      Qt::QueuedConnection);
        });
        auto* choose =
            studio_->controller().widgets().notices.findChild<QPushButton*>("noticeButton");
        QTRY_VERIFY_WITH_TIMEOUT(choose->isVisible(), kPatience);
        QMetaObject::invokeMethod(choose, &QAbstractButton::click, Qt::QueuedConnection);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), kMany, kPatience);
        settle();
    }
};

LOWTIDE_JOURNEY(ManyRunsTest)

}  // namespace many_runs_test

#include "many_runs_test.moc"
