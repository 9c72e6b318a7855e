#include "ui/panels/queue_rows.hpp"

#include "ui/panels/chart_parts.hpp"

#include <QMimeData>

#include <algorithm>
#include <cmath>
#include <set>

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
    const auto tell = [this](quint64 id) {
        if (const QModelIndex index = indexOf(id); index.isValid()) {
            Q_EMIT dataChanged(index, index);
        }
    };
    connect(&queue_, &RunQueue::runChanged, this, tell);
    connect(&queue_, &RunQueue::picture, this, tell);
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
    const auto found = std::find(ids_.begin(), ids_.end(), id);
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

}  // namespace lowtide::ui
