#include "ui/panels/queue_panel.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr const char* kMimeType = "application/x-lowtide-run";
constexpr char kBetweenIds = ' ';

QString finishedText(const QueuedRun& run) {
    if (run.executed == 0) {
        return QueueRows::tr("nothing to do: every result was kept");
    }
    const QString time = secondsText(run.milliseconds / 1000);
    return run.files.isEmpty()
               ? QueueRows::tr("done in %1").arg(time)
               : QueueRows::tr("done in %1, %n files", nullptr, static_cast<int>(run.files.size()))
                     .arg(time);
}

constexpr int kRunMargin = 5;
constexpr int kRunImage = 34;
constexpr int kRunLine = kRunImage / 2;
constexpr int kRunBar = 3;  ///< below both lines

const char* iconOf(const QueuedRun& run) {
    switch (run.state) {
        case RunState::Waiting:
            return "clock";
        case RunState::Running:
            return "play";
        case RunState::Finished:
            return "check";
        case RunState::Failed:
            return "error";
        case RunState::Cancelled:
            return "stop";
    }
    return "clock";
}

const char* runColour(const QueuedRun& run) {
    return run.state == RunState::Failed     ? "error"
           : run.state == RunState::Finished ? "success"
           : run.state == RunState::Running  ? "accent"
                                             : "text.muted";
}

void paintImage(QPainter& painter, const QRect& area, const QueuedRun& run) {
    const Theme& theme = Theme::current();
    painter.fillRect(area, theme.colour("field"));
    const QImage& nodeImage = hasEnded(run) ? run.thumbnail : run.nodeImage.image;
    if (nodeImage.isNull()) {
        theme.icon(iconOf(run), runColour(run))
            .paint(&painter, area.adjusted(9, 9, -9, -9), Qt::AlignCenter);
        return;
    }
    const QSize size = nodeImage.size().scaled(area.size(), Qt::KeepAspectRatio);
    QRect target(QPoint(0, 0), size);
    target.moveCenter(area.center());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(target, nodeImage);
}

/// Paints a run: thumbnail, title, state, progress.
class QueueDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {Theme::space(50), kRunImage + 2 * kRunMargin};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto* rows = qobject_cast<const QueueRows*>(index.model());
        const QueuedRun* run = rows ? rows->runAt(index) : nullptr;
        if (!run) {
            return;
        }
        const Theme& theme = Theme::current();
        painter->save();
        paintRowGround(*painter, option);
        const QRect area(
            option.rect.left() + kRunMargin, option.rect.top() + kRunMargin, kRunImage, kRunImage);
        paintImage(*painter, area, *run);
        QRectF text =
            QRectF(option.rect).adjusted(kRunImage + 2.0 * kRunMargin, kRunMargin, -kRunMargin, 0);
        text.setHeight(kRunLine);
        paintText(*painter, text, run->title, "strong", "text");
        text.translate(0, kRunLine);
        paintText(*painter,
                  text,
                  stateText(*run),
                  "small",
                  run->state == RunState::Failed ? "error" : "text.muted");
        if (run->state == RunState::Running) {
            QRectF bar(text.left(), area.bottom() + 1, text.width(), kRunBar);
            painter->fillRect(bar, theme.colour("field"));
            bar.setWidth(bar.width() * run->progress);
            painter->fillRect(bar, theme.colour("node.running"));
        }
        painter->restore();
    }
};

bool isWaiting(const QueuedRun& run) {
    return run.state == RunState::Waiting;
}

bool isAtWork(const QueuedRun& run) {
    return run.state == RunState::Running;
}

}  // namespace

QString stateText(const QueuedRun& run) {
    const long percent = std::lround(run.progress * 100);
    switch (run.state) {
        case RunState::Waiting:
            return QueueRows::tr("waiting");
        case RunState::Running:
            return progressText(
                run.phase.isEmpty()
                    ? QueueRows::tr("running, %1 %").arg(percent)
                    : QueueRows::tr("running, %1 %, %2").arg(percent).arg(run.phase),
                run.secondsLeft);
        case RunState::Finished:
            return finishedText(run);
        case RunState::Failed:
            return run.issues.empty()
                       ? QueueRows::tr("failed")
                       : QueueRows::tr("failed: %1")
                             .arg(QString::fromStdString(run.issues.front().message.str()));
        case RunState::Cancelled:
            return run.executed < 0 ? QueueRows::tr("cancelled before it began")
                                    : QueueRows::tr("cancelled after %1")
                                          .arg(secondsText(run.milliseconds / 1000));
    }
    return {};
}

QueueRows::QueueRows(RunQueue& queue, QObject* parent) : QAbstractListModel(parent), queue_(queue) {
    connect(&queue_, &RunQueue::listChanged, this, &QueueRows::rebuild);
    const auto showMessage = [this](quint64 id) {
        if (const QModelIndex index = indexOf(id); index.isValid()) {
            Q_EMIT dataChanged(index, index);
        }
    };
    connect(&queue_, &RunQueue::runChanged, this, showMessage);
    connect(&queue_, &RunQueue::nodeImage, this, showMessage);
    rebuild();
}

void QueueRows::rebuild() {
    std::vector<quint64> ids;
    std::vector<quint64> ended;
    for (const QueuedRun& run : queue_.runs()) {
        (hasEnded(run) ? ended : ids).push_back(run.id);
    }
    ids.insert(ids.end(), ended.rbegin(), ended.rend());
    if (ids != ids_) {
        beginResetModel();
        ids_ = std::move(ids);
        endResetModel();
    } else if (!ids_.empty()) {  // the last one that waited was taken back where it stands
        Q_EMIT dataChanged(index(0), index(static_cast<int>(ids_.size()) - 1));
    }
}

int QueueRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ids_.size());
}

const QueuedRun* QueueRows::runAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < ids_.size() ? queue_.find(ids_[row]) : nullptr;
}

QModelIndex QueueRows::indexOf(quint64 id) const {
    const auto found = std::ranges::find(ids_, id);
    return found == ids_.end() ? QModelIndex() : index(static_cast<int>(found - ids_.begin()));
}

QVariant QueueRows::data(const QModelIndex& index, int role) const {
    const QueuedRun* run = runAt(index);
    if (!run) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return run->title;
        case Qt::AccessibleTextRole:
            return tr("%1, %2").arg(run->title, stateText(*run));
        case Qt::ToolTipRole:
            return tr("%1\n%2").arg(run->title, stateText(*run));
        default:
            return {};
    }
}

Qt::ItemFlags QueueRows::flags(const QModelIndex& index) const {
    const QueuedRun* run = runAt(index);
    const Qt::ItemFlags base = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return !run                              ? Qt::ItemIsDropEnabled
           : run->state == RunState::Waiting ? base | Qt::ItemIsDragEnabled
                                             : base;
}

Qt::DropActions QueueRows::supportedDropActions() const {
    return Qt::MoveAction;
}

QStringList QueueRows::mimeTypes() const {
    return {kMimeType};
}

QMimeData* QueueRows::mimeData(const QModelIndexList& indexes) const {
    QByteArrayList ids;
    for (const QModelIndex& index : indexes) {
        ids << QByteArray::number(idAt(index));
    }
    auto* data = new QMimeData;
    data->setData(kMimeType, ids.join(kBetweenIds));
    return data;
}

/// `row` is the gap between rows into which the runs are dropped.
bool QueueRows::dropMimeData(
    const QMimeData* data, Qt::DropAction, int row, int, const QModelIndex& parent) {
    std::vector<quint64> moved;
    for (const QByteArray& id : data->data(kMimeType).split(kBetweenIds)) {
        moved.push_back(id.toULongLong());
    }
    const std::set<quint64> isMoved(moved.begin(), moved.end());
    const int gap = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount({});
    const auto before = std::count_if(ids_.begin(), ids_.begin() + gap, [&](quint64 id) {
        const QueuedRun* run = queue_.find(id);
        return run && run->state == RunState::Waiting && !isMoved.contains(id);
    });
    queue_.moveWaiting(moved, static_cast<int>(before));
    return false;  // the queue has moved them: the view must not remove rows
}

QueuePanel::QueuePanel(RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      queue_(queue),
      rows_(new QueueRows(queue, this)),
      list_(named("runs", new QListView(this))),
      empty_(makeText(
          tr("No runs yet. Press Run, and it appears here with its image."), "noRuns", this)) {
    setObjectName("queuePanel");
    build();
    connect(&queue_, &RunQueue::pausedChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::runChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::listChanged, this, &QueuePanel::adjust);
    connect(rows_, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        // A run that is gone can no longer be selected, but its row still is.
        const QItemSelection chosen = list_->selectionModel()->selection();
        before_ = {.runs = selectedRuns(), .row = chosen.isEmpty() ? -1 : chosen.front().top()};
    });
    connect(rows_, &QAbstractItemModel::modelReset, this, [this] {
        selectAsBefore();
        adjust();
    });
    connect(
        list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &QueuePanel::adjust);
    connect(list_, &QListView::activated, this, [this] { Q_EMIT imageRequested(selectedRun()); });
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
    connect(pause_, &QToolButton::clicked, this, [this] { queue_.setPaused(!queue_.isPaused()); });
    connect(last_, &QToolButton::clicked, this, &QueuePanel::stopAfterThisAsked);
    connect(cancel_, &QToolButton::clicked, this, &QueuePanel::cancelSelected);
    connect(retry_, &QToolButton::clicked, this, &QueuePanel::retrySelected);
    connect(remove_, &QToolButton::clicked, this, &QueuePanel::removeSelected);
    connect(open_, &QToolButton::clicked, this, [this] { Q_EMIT graphRequested(selectedRun()); });
    list_->setAccessibleName(tr("Runs"));
    list_->setModel(rows_);
    list_->setItemDelegate(new QueueDelegate(list_));
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setUniformItemSizes(true);  // no row is asked before it is seen
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setDragDropMode(QAbstractItemView::InternalMove);
    list_->setDefaultDropAction(Qt::MoveAction);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    selectRowForKeys(*list_);
    const auto addKey = [this](const QKeySequence& key, auto act) {
        new QShortcut(key, list_, this, act, Qt::WidgetShortcut);
    };
    addKey(QKeySequence::Delete, &QueuePanel::takeSelectedAway);
    addKey(Qt::ALT | Qt::Key_Up, [this] { moveSelected(-1); });
    addKey(Qt::ALT | Qt::Key_Down, [this] { moveSelected(1); });
    list_->setToolTip(tr("Alt+Up and Alt+Down move a waiting run, Delete removes a run"));
    empty_->setAlignment(Qt::AlignCenter);
    // Next to the list: panels below the canvas are low.
    QBoxLayout* tools = columnIn(
        nullptr, 1, {1, 1, 1, 1}, {pause_, last_, Cell::spring(), cancel_, retry_, open_, remove_});
    rowIn(this, 0, {{list_, 1}, {empty_, 1}, tools});
}

std::vector<quint64> QueuePanel::selectedRuns() const {
    QModelIndexList chosen = list_->selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end());
    std::vector<quint64> runs;
    for (const QModelIndex& index : std::as_const(chosen)) {
        runs.push_back(rows_->idAt(index));
    }
    return runs;
}

quint64 QueuePanel::selectedRun() const {
    const std::vector<quint64> chosen = selectedRuns();
    return chosen.size() == 1 ? chosen.front() : 0;
}

void QueuePanel::select(const std::vector<quint64>& runs) {
    if (runs.empty()) {
        return;
    }
    const std::set<quint64> wanted(runs.begin(), runs.end());
    QItemSelection chosen;
    for (int row = 0; row < rows_->rowCount({}); ++row) {
        int last = row;
        while (last < rows_->rowCount({}) && wanted.contains(rows_->idAt(rows_->index(last)))) {
            ++last;
        }
        if (last > row) {
            chosen.select(rows_->index(row), rows_->index(last - 1));
            row = last;
        }
    }
    if (!chosen.isEmpty()) {
        QItemSelectionModel& selection = *list_->selectionModel();
        selection.setCurrentIndex(chosen.front().topLeft(), QItemSelectionModel::NoUpdate);
        selection.select(chosen, QItemSelectionModel::ClearAndSelect);
    }
}

/// The selection remains at the row of a removed run, for a user who removes one after the other.
void QueuePanel::selectAsBefore() {
    select(before_.runs);
    const int last = rows_->rowCount({}) - 1;
    if (selectedRuns().empty() && before_.row >= 0 && last >= 0) {
        list_->setCurrentIndex(rows_->index(std::min(before_.row, last)));
    }
}

/// Those of the selected ones in this state of affairs.
std::vector<quint64> QueuePanel::selectedThat(bool (*are)(const QueuedRun& run)) const {
    const std::vector<quint64> chosen = selectedRuns();
    const std::set<quint64> wanted(chosen.begin(), chosen.end());
    std::vector<quint64> runs;
    for (const QueuedRun& run : queue_.runs()) {
        if (wanted.contains(run.id) && are(run)) {
            runs.push_back(run.id);
        }
    }
    return runs;
}

void QueuePanel::adjust() {
    const size_t chosen = selectedRuns().size();
    const size_t over = selectedThat(hasEnded).size();
    pause_->setIcon(Theme::current().icon(queue_.isPaused() ? "play" : "pause"));
    setTip(
        *pause_,
        queue_.isPaused() ? tr("Continue with waiting runs") : tr("Pause: hold back waiting runs"));
    const auto& runs = queue_.runs();
    last_->setEnabled(std::ranges::any_of(runs, isWaiting));
    cancel_->setEnabled(over < chosen);
    retry_->setEnabled(over > 0);
    open_->setEnabled(chosen == 1);
    remove_->setEnabled(over > 0);
    const bool isEmpty = queue_.runs().empty();
    empty_->setVisible(isEmpty);
    list_->setVisible(!isEmpty);
}

void QueuePanel::cancelSelected() {
    cancelChosen(CancelMode::AfterThisImage);
}

void QueuePanel::cancelSelectedNow() {
    cancelChosen(CancelMode::Now);
}

void QueuePanel::cancelChosen(CancelMode mode) {
    const std::vector<quint64> waiting = selectedThat(isWaiting);
    for (const quint64 id : selectedThat(isAtWork)) {
        queue_.cancel(id, mode);
    }
    queue_.takeBack(waiting);
}

void QueuePanel::retrySelected() {
    retryChosen(Json::object());
}

void QueuePanel::runSelectedAgain() {
    retryChosen({{"forceExecution", true}});
}

void QueuePanel::retryChosen(const Json& more) {
    std::vector<QueuedRun> runs;
    for (const quint64 id : selectedThat(hasEnded)) {
        runs.push_back(*queue_.find(id));
    }
    select(queue_.addAgain(runs, more));
}

void QueuePanel::removeSelected() {
    queue_.remove(selectedThat(hasEnded));
}

/// A run at work is kept: cancelling it is another wish.
void QueuePanel::takeSelectedAway() {
    const std::vector<quint64> waiting = selectedThat(isWaiting);
    removeSelected();
    queue_.takeBack(waiting);
}

void QueuePanel::moveSelected(int by) {
    const std::vector<quint64> moved = selectedThat(isWaiting);
    int before = 0;  // those that wait and are kept
    for (const QueuedRun& run : queue_.runs()) {
        if (!moved.empty() && run.id == moved.front()) {
            break;
        }
        before += isWaiting(run) ? 1 : 0;
    }
    if (!moved.empty() && before + by >= 0) {
        queue_.moveWaiting(moved, before + by);
    }
}

void QueuePanel::removeEnded() {
    std::vector<quint64> ended;
    for (const QueuedRun& run : queue_.runs()) {
        if (hasEnded(run)) {
            ended.push_back(run.id);
        }
    }
    queue_.remove(ended);
}

void QueuePanel::showMenu(const QPoint& point) {
    const bool isOver = !selectedThat(hasEnded).empty();
    const bool isRunning = !selectedThat(isAtWork).empty();
    const bool isOpen = isRunning || !selectedThat(isWaiting).empty();
    QMenu menu(this);
    const auto add = [&](const QString& text, bool isEnabled, auto&& slot) {
        menu.addAction(text, this, slot)->setEnabled(isEnabled);
    };
    add(tr("Cancel after this image"), isRunning, &QueuePanel::cancelSelected);
    add(tr("Cancel now"), isOpen, &QueuePanel::cancelSelectedNow);
    menu.addSeparator();
    add(tr("Run the same again"), isOver, &QueuePanel::retrySelected);
    add(tr("Run again without kept results"), isOver, &QueuePanel::runSelectedAgain);
    add(tr("Open graph of this run"), selectedRun() != 0, [this] {
        Q_EMIT graphRequested(selectedRun());
    });
    menu.addSeparator();
    add(tr("Remove"), isOver, &QueuePanel::removeSelected);
    add(tr("Remove all that have ended"), true, &QueuePanel::removeEnded);
    menu.exec(list_->viewport()->mapToGlobal(point));
}

}  // namespace lowtide::ui
