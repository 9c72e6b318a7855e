#include "ui/panels/queue_panel.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
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

constexpr int kRunMargin = 3;
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

/// A panel that is so much wider than high has its lists next to each other.
constexpr int kLow = 2;

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

QueueRows::QueueRows(RunQueue& queue, QueueSection section, QObject* parent)
    : QAbstractListModel(parent), queue_(queue), section_(section) {
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
    for (const QueuedRun& run : queue_.runs()) {
        if (hasEnded(run) == (section_ == QueueSection::Ended)) {
            ids.push_back(run.id);
        }
    }
    if (section_ == QueueSection::Ended) {
        std::ranges::reverse(ids);
    }
    if (ids != ids_) {
        beginResetModel();
        ids_ = std::move(ids);
        endResetModel();
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
    return section_ == QueueSection::Ended   ? base
           : !run                            ? Qt::ItemIsDropEnabled
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

RunList::RunList(QueueRows* rows, QueueSection section, QWidget* parent)
    : QListView(parent), rows_(*rows) {
    rows->setParent(this);
    setModel(rows);
    setItemDelegate(new QueueDelegate(this));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setUniformItemSizes(true);  // no row is asked before it is seen
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setMinimumHeight(rowHeight());
    if (section == QueueSection::Open) {
        setDragDropMode(QAbstractItemView::InternalMove);
        setDefaultDropAction(Qt::MoveAction);
    }
    selectRowForKeys(*this);
    connect(rows, &QAbstractItemModel::modelAboutToBeReset, this, &RunList::keep);
    connect(rows, &QAbstractItemModel::modelReset, this, &RunList::comeBack);
}

int RunList::rowHeight() const {
    return kRunImage + 2 * kRunMargin;
}

std::vector<quint64> RunList::selectedRuns() const {
    QModelIndexList chosen = selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end());
    std::vector<quint64> runs;
    for (const QModelIndex& index : std::as_const(chosen)) {
        runs.push_back(rows_.idAt(index));
    }
    return runs;
}

void RunList::select(const std::vector<quint64>& runs) {
    if (runs.empty()) {
        return;
    }
    const std::set<quint64> wanted(runs.begin(), runs.end());
    QItemSelection chosen;
    for (int row = 0; row < count(); ++row) {
        int last = row;
        while (last < count() && wanted.contains(rows_.idAt(rows_.index(last)))) {
            ++last;
        }
        if (last > row) {
            chosen.select(rows_.index(row), rows_.index(last - 1));
            row = last;
        }
    }
    if (!chosen.isEmpty()) {
        QItemSelectionModel& selection = *selectionModel();
        selection.setCurrentIndex(chosen.front().topLeft(), QItemSelectionModel::NoUpdate);
        selection.select(chosen, QItemSelectionModel::ClearAndSelect);
    }
}

void RunList::takeAway(const std::function<void()>& act) {
    isTaking_ = true;
    act();
    isTaking_ = false;
}

/// Who looks at the first rows sees what comes, who has scrolled away sees what he saw.
void RunList::keep() {
    const QItemSelection chosen = selectionModel()->selection();
    const bool isScrolled = verticalScrollBar()->value() > 0;
    const QModelIndex top = isScrolled ? indexAt(QPoint(1, 1)) : QModelIndex();
    kept_ = {.selected = selectedRuns(),
             .row = chosen.isEmpty() ? -1 : chosen.front().top(),
             .current = currentIndex().isValid() ? rows_.idAt(currentIndex()) : 0,
             .top = top.isValid() ? rows_.idAt(top) : 0};
}

void RunList::comeBack() {
    setAutoScroll(false);
    select(kept_.selected);
    if (isTaking_ && kept_.row >= 0 && count() > 0 && !selectionModel()->hasSelection()) {
        setCurrentIndex(rows_.index(std::min(kept_.row, count() - 1)));
    } else if (const QModelIndex current = rows_.indexOf(kept_.current); current.isValid()) {
        selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    }
    setAutoScroll(true);
    if (const QModelIndex top = rows_.indexOf(kept_.top); top.isValid()) {
        scrollTo(top, QAbstractItemView::PositionAtTop);
    }
}

QueuePanel::QueuePanel(RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      queue_(queue),
      open_(named("openRuns",
                  new RunList(new QueueRows(queue, QueueSection::Open), QueueSection::Open, this))),
      ended_(
          named("endedRuns",
                new RunList(new QueueRows(queue, QueueSection::Ended), QueueSection::Ended, this))),
      openTitle_(named("openTitle", new ElidedLabel(this))),
      endedTitle_(named("endedTitle", new ElidedLabel(this))),
      empty_(makeText({}, "noRuns", this)),
      openPart_(new QWidget(this)),
      endedPart_(new QWidget(this)) {
    setObjectName("queuePanel");
    build();
    connect(&queue_, &RunQueue::pausedChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::runChanged, this, &QueuePanel::adjust);
    connect(&queue_, &RunQueue::listChanged, this, &QueuePanel::showLists);
    connectList(*open_, *ended_);
    connectList(*ended_, *open_);
    showLists();
}

void QueuePanel::connectList(RunList& list, RunList& other) {
    connect(
        list.selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, &list, &other] {
            if (list.selectionModel()->hasSelection()) {
                other.clearSelection();  // what is done is done with one kind of runs
            }
            adjust();
        });
    connect(&list, &QListView::activated, this, [this] { Q_EMIT imageRequested(selectedRun()); });
    connect(&list, &QListView::customContextMenuRequested, this, [this, &list](const QPoint& at) {
        showMenu(list.viewport()->mapToGlobal(at));
    });
    new QShortcut(QKeySequence(QKeySequence::Delete),
                  &list,
                  this,
                  &QueuePanel::takeSelectedAway,
                  Qt::WidgetShortcut);
    list.installEventFilter(this);
}

void QueuePanel::makeTools() {
    pause_ = makeIconButton("pause", tr("Pause: hold back waiting runs"), "pause", this);
    last_ = makeIconButton(
        "stop-after", tr("Stop after this run: take back all that wait"), "stopAfterThis", this);
    cancel_ = makeIconButton("stop", tr("Cancel after this image"), "cancel", this);
    clearWaiting_ = makeIconButton("eraser", tr("Clear all waiting"), "clearWaiting", this);
    retry_ = makeIconButton("refresh", tr("Repeat"), "retry", this);
    openGraph_ = makeIconButton("open", tr("Open the graph of this run"), "openGraph", this);
    remove_ = makeIconButton("trash", tr("Remove from the list"), "remove", this);
    clearHistory_ = makeIconButton("eraser", tr("Clear history"), "clearHistory", this);
    connect(pause_, &QToolButton::clicked, this, [this] { queue_.setPaused(!queue_.isPaused()); });
    connect(last_, &QToolButton::clicked, this, &QueuePanel::stopAfterThisAsked);
    connect(cancel_, &QToolButton::clicked, this, &QueuePanel::cancelSelected);
    connect(clearWaiting_, &QToolButton::clicked, this, &QueuePanel::clearWaitingAsked);
    connect(retry_, &QToolButton::clicked, this, &QueuePanel::retrySelected);
    connect(remove_, &QToolButton::clicked, this, &QueuePanel::removeSelected);
    connect(clearHistory_, &QToolButton::clicked, this, &QueuePanel::clearHistory);
    connect(
        openGraph_, &QToolButton::clicked, this, [this] { Q_EMIT graphRequested(selectedRun()); });
}

/// Tools stand above the list that they are for.
void QueuePanel::build() {
    makeTools();
    open_->setAccessibleName(tr("Running and waiting"));
    open_->setToolTip(tr("Alt+Up and Alt+Down move a waiting run, Delete cancels it"));
    ended_->setAccessibleName(tr("History"));
    ended_->setToolTip(tr("Delete removes a run from the list"));
    for (const auto& [key, by] : {std::pair(Qt::Key_Up, -1), std::pair(Qt::Key_Down, 1)}) {
        new QShortcut(
            QKeySequence(Qt::ALT | key),
            open_,
            this,
            [this, by = by] { moveSelected(by); },
            Qt::WidgetShortcut);
    }
    for (ElidedLabel* title : {openTitle_, endedTitle_}) {
        title->setFont(Theme::current().font("small"));
        setTextColour(*title, "text.muted");
    }
    empty_->setAlignment(Qt::AlignCenter);
    const QMargins margins(2, 0, 1, 0);
    columnIn(openPart_,
             0,
             {rowIn(nullptr, 0, margins, {{openTitle_, 1}, pause_, last_, cancel_, clearWaiting_}),
              {open_, 1},
              {empty_, 1}});
    columnIn(
        endedPart_,
        0,
        {rowIn(nullptr, 0, margins, {{endedTitle_, 1}, retry_, openGraph_, remove_, clearHistory_}),
         {ended_, 1}});
    parts_ = columnIn(this, 1, {{openPart_, 1}, {endedPart_, 1}});
}

QSize QueuePanel::minimumSizeHint() const {
    const QSize open = openPart_->minimumSizeHint();
    const QSize ended = endedPart_->minimumSizeHint();
    return {std::max(open.width(), ended.width()),
            pause_->sizeHint().height() + open_->rowHeight()};
}

void QueuePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

/// Next to each other where the panel is low, so that no list is a single row; else the runs at
/// work and waiting take what they need, up to half of the height.
void QueuePanel::arrange() {
    const int head = pause_->sizeHint().height();
    const int least = 2 * (head + open_->rowHeight());
    const int widths = openPart_->minimumSizeHint().width() + endedPart_->minimumSizeHint().width();
    const bool isLow = height() < least || (width() > kLow * height() && width() > widths);
    parts_->setDirection(isLow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    const bool isShared = !isLow && ended_->count() > 0;
    parts_->setStretch(0, isShared ? 0 : 1);
    if (isShared) {
        const int half = std::max(height() / 2 - head, open_->rowHeight());
        open_->setFixedHeight(
            std::clamp(open_->count() * open_->rowHeight(), open_->rowHeight(), half));
    } else {
        open_->setMinimumHeight(open_->rowHeight());
        open_->setMaximumHeight(QWIDGETSIZE_MAX);
    }
}

/// The keyboard remains in the panel, at a button that takes nothing away.
void QueuePanel::showLists() {
    const bool areOpen = open_->count() > 0;
    const bool areEnded = ended_->count() > 0;
    if ((!areOpen && open_->hasFocus()) || (!areEnded && ended_->hasFocus())) {
        pause_->setFocus(Qt::OtherFocusReason);
    }
    open_->setVisible(areOpen);
    endedPart_->setVisible(areEnded);
    empty_->setVisible(!areOpen);
    empty_->setText(areEnded ? tr("No runs are waiting.")
                             : tr("No runs yet. Press Run, and it appears here with its image."));
    openTitle_->setText(areOpen ? tr("Running and waiting (%1)").arg(open_->count())
                                : tr("Running and waiting"));
    endedTitle_->setText(tr("History (%1)").arg(ended_->count()));
    setFocusProxy(areOpen ? open_ : areEnded ? ended_ : nullptr);
    arrange();
    adjust();
}

bool QueuePanel::eventFilter(QObject* watched, QEvent* event) {
    const bool isKey =
        event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (!isKey || removal_.isEmpty() ||
        !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo)) {
        return QWidget::eventFilter(watched, event);
    }
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        undoRemove();
    }
    return true;
}

std::vector<quint64> QueuePanel::selectedRuns() const {
    const std::vector<quint64> open = open_->selectedRuns();
    return open.empty() ? ended_->selectedRuns() : open;
}

quint64 QueuePanel::selectedRun() const {
    const std::vector<quint64> chosen = selectedRuns();
    return chosen.size() == 1 ? chosen.front() : 0;
}

void QueuePanel::select(const std::vector<quint64>& runs) {
    ended_->select(runs);
    open_->select(runs);
}

/// Those of the selected ones in this state of affairs.
std::vector<quint64> QueuePanel::selectedThat(bool (*are)(const QueuedRun& run)) const {
    const std::vector<quint64> chosen = selectedRuns();
    const std::set<quint64> wanted(chosen.begin(), chosen.end());
    std::vector<quint64> runs = runsThat(are);
    std::erase_if(runs, [&](quint64 id) { return !wanted.contains(id); });
    return runs;
}

void QueuePanel::adjust() {
    const size_t chosen = selectedRuns().size();
    const size_t over = ended_->selectedRuns().size();
    pause_->setIcon(Theme::current().icon(queue_.isPaused() ? "play" : "pause"));
    setTip(
        *pause_,
        queue_.isPaused() ? tr("Continue with waiting runs") : tr("Pause: hold back waiting runs"));
    const bool areWaiting = !queue_.runs().empty() && isWaiting(queue_.runs().back());
    last_->setEnabled(areWaiting);
    clearWaiting_->setEnabled(areWaiting);
    cancel_->setEnabled(over < chosen);
    retry_->setEnabled(over > 0);
    openGraph_->setEnabled(chosen == 1);
    remove_->setEnabled(over > 0);
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
    takeAway(waiting);
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
    takeAway(selectedThat(hasEnded));
}

/// A run at work is kept: cancelling it is another wish.
void QueuePanel::takeSelectedAway() {
    takeAway(selectedRuns());
}

/// What cannot leave the list remains.
void QueuePanel::takeAway(const std::vector<quint64>& runs) {
    Removal removal;
    removal.order = runsThat(isWaiting);
    ended_->takeAway([&] { removal.ended = queue_.remove(runs); });
    open_->takeAway([&] { removal.waiting = queue_.takeAway(runs); });
    if (removal.isEmpty()) {
        return;
    }
    const auto cancelled = static_cast<int>(removal.waiting.size());
    const auto gone = static_cast<int>(removal.ended.size());
    removal_ = std::move(removal);
    Q_EMIT removed(cancelled > 0 ? tr("%n waiting runs were cancelled.", nullptr, cancelled)
                                 : tr("%n runs were removed from the history.", nullptr, gone));
}

void QueuePanel::undoRemove() {
    Removal removal = std::exchange(removal_, {});
    if (removal.isEmpty()) {
        return;
    }
    std::vector<quint64> back;
    for (const QueuedRun& run : removal.ended) {
        back.push_back(run.id);
    }
    queue_.restore(std::move(removal.ended));
    if (!removal.waiting.empty()) {
        back = queue_.waitAgain(removal.waiting, removal.order);
    }
    select(back);
    Q_EMIT returned();
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

void QueuePanel::clearWaiting() {
    takeAway(runsThat(isWaiting));
}

void QueuePanel::clearHistory() {
    takeAway(runsThat(hasEnded));
}

std::vector<quint64> QueuePanel::runsThat(bool (*is)(const QueuedRun& run)) const {
    std::vector<quint64> runs;
    for (const QueuedRun& run : queue_.runs()) {
        if (is(run)) {
            runs.push_back(run.id);
        }
    }
    return runs;
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
    add(tr("Repeat"), isOver, &QueuePanel::retrySelected);
    add(tr("Repeat without kept results"), isOver, &QueuePanel::runSelectedAgain);
    add(tr("Open graph of this run"), selectedRun() != 0, [this] {
        Q_EMIT graphRequested(selectedRun());
    });
    menu.addSeparator();
    add(tr("Remove"), isOver, &QueuePanel::removeSelected);
    add(tr("Clear all waiting"), clearWaiting_->isEnabled(), &QueuePanel::clearWaitingAsked);
    add(tr("Clear history"), ended_->count() > 0, &QueuePanel::clearHistory);
    add(tr("Undo the removal"), !removal_.isEmpty(), &QueuePanel::undoRemove);
    menu.exec(point);
}

}  // namespace lowtide::ui
