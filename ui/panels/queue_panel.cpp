#include "ui/panels/queue_panel.hpp"

#include "ui/panels/icon_button.hpp"
#include "ui/panels/queue_delegate.hpp"
#include "ui/panels/queue_rows.hpp"
#include "ui/panels/row_focus.hpp"
#include "ui/theme/theme.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

QueuePanel::QueuePanel(RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      queue_(queue),
      rows_(new QueueRows(queue, this)),
      list_(new QListView(this)),
      empty_(new QLabel(this)) {
    setObjectName("queuePanel");
    build();
    connect(&queue_, &RunQueue::pausedChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::runChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::listChanged, this, &QueuePanel::adjust);
    connect(rows_, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        // A run that is gone can no longer be selected, but its row still is.
        const QItemSelection chosen = list_->selectionModel()->selection();
        before_ = {.id = selectedRun(), .row = chosen.isEmpty() ? -1 : chosen.front().top()};
    });
    connect(rows_, &QAbstractItemModel::modelReset, this, [this] {
        selectAsBefore();
        adjust();
    });
    connect(
        list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &QueuePanel::adjust);
    connect(list_, &QListView::activated, this, [this] { Q_EMIT pictureRequested(selectedRun()); });
    connect(list_, &QListView::customContextMenuRequested, this, &QueuePanel::showMenu);
    adjust();
}

void QueuePanel::build() {
    pause_ = makeIconButton("pause", tr("Pause: hold back waiting runs"), "pause", this);
    last_ = makeIconButton(
        "stop-after", tr("Stop after this run: take back all that wait"), "stopAfterThis", this);
    cancel_ = makeIconButton("stop", tr("Cancel after this image"), "cancel", this);
    retry_ = makeIconButton("refresh", tr("Run the same again"), "retry", this);
    open_ = makeIconButton("open", tr("Open the graph of this run"), "openGraph", this);
    remove_ = makeIconButton("trash", tr("Remove from the list"), "remove", this);
    auto* tools = new QVBoxLayout;  // beside the list: panels below the canvas are low
    tools->setContentsMargins(Theme::space(1), Theme::space(1), Theme::space(1), Theme::space(1));
    tools->setSpacing(Theme::space(1));
    tools->addWidget(pause_);
    tools->addWidget(last_);
    tools->addStretch(1);
    for (QToolButton* button : {cancel_, retry_, open_, remove_}) {
        tools->addWidget(button);
    }
    connect(pause_, &QToolButton::clicked, this, [this] { queue_.setPaused(!queue_.isPaused()); });
    connect(last_, &QToolButton::clicked, this, &QueuePanel::stopAfterThisAsked);
    connect(cancel_, &QToolButton::clicked, this, &QueuePanel::cancelSelected);
    connect(retry_, &QToolButton::clicked, this, &QueuePanel::retrySelected);
    connect(remove_, &QToolButton::clicked, this, &QueuePanel::removeSelected);
    connect(open_, &QToolButton::clicked, this, [this] { Q_EMIT graphRequested(selectedRun()); });
    list_->setObjectName("runs");
    list_->setAccessibleName(tr("Runs"));
    list_->setModel(rows_);
    list_->setItemDelegate(new QueueDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setDragDropMode(QAbstractItemView::InternalMove);
    list_->setDefaultDropAction(Qt::MoveAction);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    selectRowForKeys(*list_);
    auto* away = new QAction(list_);
    away->setShortcut(QKeySequence::Delete);
    away->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(away);
    connect(away, &QAction::triggered, this, &QueuePanel::takeSelectedAway);
    for (const auto& [key, by] : {std::pair(Qt::Key_Up, -1), std::pair(Qt::Key_Down, 1)}) {
        auto* move = new QAction(list_);
        move->setShortcut(QKeySequence(QKeyCombination(Qt::AltModifier, key)));
        move->setShortcutContext(Qt::WidgetShortcut);
        list_->addAction(move);
        connect(move, &QAction::triggered, this, [this, by = by] { moveSelected(by); });
    }
    list_->setToolTip(tr("Alt+Up and Alt+Down move a waiting run, Delete removes a run"));
    empty_->setObjectName("noRuns");
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setText(tr("No runs yet. Press Run, and it appears here with its picture."));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(list_, 1);
    layout->addWidget(empty_, 1);
    layout->addLayout(tools);
}

quint64 QueuePanel::selectedRun() const {
    const QModelIndexList chosen = list_->selectionModel()->selectedIndexes();
    const QueuedRun* run = chosen.isEmpty() ? nullptr : rows_->runAt(chosen.front());
    return run ? run->id : 0;
}

void QueuePanel::select(quint64 id) {
    if (const QModelIndex index = rows_->indexOf(id); index.isValid()) {
        list_->setCurrentIndex(index);
    }
}

/// Whoever removes one run after the other stays where that was.
void QueuePanel::selectAsBefore() {
    const int last = rows_->rowCount({}) - 1;
    if (before_.id != 0) {
        select(before_.id);
    } else if (before_.row >= 0 && last >= 0) {
        list_->setCurrentIndex(rows_->index(std::min(before_.row, last)));
    }
}

void QueuePanel::adjust() {
    const QueuedRun* run = queue_.find(selectedRun());
    pause_->setIcon(Theme::current().icon(queue_.isPaused() ? "play" : "pause"));
    pause_->setToolTip(queue_.isPaused() ? tr("Continue with waiting runs")
                                         : tr("Pause: hold back waiting runs"));
    pause_->setAccessibleName(pause_->toolTip());
    const auto& runs = queue_.runs();
    last_->setEnabled(std::any_of(runs.begin(), runs.end(), [](const QueuedRun& each) {
        return each.state == RunState::Waiting;
    }));
    const bool isOver = run && hasEnded(*run);
    cancel_->setEnabled(run && !isOver);
    retry_->setEnabled(isOver);
    open_->setEnabled(run != nullptr);
    remove_->setEnabled(isOver);
    const bool isEmpty = queue_.runs().empty();
    empty_->setVisible(isEmpty);
    list_->setVisible(!isEmpty);
}

void QueuePanel::cancelSelected() {
    queue_.cancel(selectedRun(), CancelMode::AfterThisImage);
}

void QueuePanel::cancelSelectedNow() {
    queue_.cancel(selectedRun(), CancelMode::Now);
}

void QueuePanel::retrySelected() {
    select(queue_.retry(selectedRun()));
}

void QueuePanel::runSelectedAnew() {
    select(queue_.retry(selectedRun(), {{"forceExecution", true}}));
}

void QueuePanel::removeSelected() {
    queue_.remove(selectedRun());
}

/// A run at work stays: cancelling it is another wish.
void QueuePanel::takeSelectedAway() {
    const QueuedRun* run = queue_.find(selectedRun());
    if (run && run->state == RunState::Waiting) {
        cancelSelectedNow();
    } else if (run && hasEnded(*run)) {
        removeSelected();
    }
}

void QueuePanel::moveSelected(int by) {
    int place = 0;
    for (const QueuedRun& run : queue_.runs()) {
        if (run.id == selectedRun() && run.state == RunState::Waiting && place + by >= 0) {
            const quint64 id = run.id;
            queue_.moveWaiting(id, place + by);
            select(id);
            return;
        }
        place += run.state == RunState::Waiting ? 1 : 0;
    }
}

void QueuePanel::removeEnded() {
    std::vector<quint64> ended;
    for (const QueuedRun& run : queue_.runs()) {
        if (hasEnded(run)) {
            ended.push_back(run.id);
        }
    }
    for (const quint64 id : ended) {
        queue_.remove(id);
    }
}

void QueuePanel::showMenu(const QPoint& point) {
    const QueuedRun* run = queue_.find(selectedRun());
    QMenu menu(this);
    const auto add = [&](const QString& text, bool isEnabled, auto&& slot) {
        menu.addAction(text, this, slot)->setEnabled(isEnabled);
    };
    const bool isRunning = run && run->state == RunState::Running;
    const bool isOver = run && hasEnded(*run);
    add(tr("Cancel after this image"), isRunning, &QueuePanel::cancelSelected);
    add(tr("Cancel now"), run && !isOver, &QueuePanel::cancelSelectedNow);
    menu.addSeparator();
    add(tr("Run the same again"), isOver, &QueuePanel::retrySelected);
    add(tr("Run anew, kept results too"), isOver, &QueuePanel::runSelectedAnew);
    add(tr("Open graph of this run"), run != nullptr, [this] {
        Q_EMIT graphRequested(selectedRun());
    });
    menu.addSeparator();
    add(tr("Remove"), isOver, &QueuePanel::removeSelected);
    add(tr("Remove all that have ended"), true, &QueuePanel::removeEnded);
    menu.exec(list_->viewport()->mapToGlobal(point));
}

}  // namespace lowtide::ui
