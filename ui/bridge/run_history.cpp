#include "ui/bridge/run_history.hpp"

#include "ui/bridge/image_load.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

/// Three bytes a pixel, and no longer a part of the large one.
QImage smallImage(const QImage& nodeImage) {
    if (nodeImage.isNull()) {
        return {};
    }
    return boundedBy(nodeImage, RunHistory::kThumbnailPixels)
        .convertToFormat(nodeImage.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied
                                                     : QImage::Format_RGB888);
}

}  // namespace

bool hasEnded(const QueuedRun& run) {
    return hasEnded(run.state);
}

const QImage& QueuedRun::largest() const {
    return nodeImage.image.isNull() ? thumbnail : nodeImage.largest();
}

RunHistory::Index RunHistory::indexOf(quint64 id) {
    return std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
}

RunHistory::Index RunHistory::firstOpen() {
    return std::find_if(
        runs_.begin(), runs_.end(), [](const QueuedRun& run) { return !hasEnded(run); });
}

RunHistory::Index RunHistory::firstWaiting() {
    return std::find_if(runs_.begin(), runs_.end(), [](const QueuedRun& run) {
        return run.state == RunState::Waiting;
    });
}

const QueuedRun* RunHistory::find(quint64 id) const {
    const auto found = std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunHistory::find(quint64 id) {
    const Index found = indexOf(id);
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunHistory::nextWaiting() {
    const Index next = firstWaiting();
    return next == runs_.end() ? nullptr : &*next;
}

quint64 RunHistory::add(QueuedRun run, bool isFirst) {
    run.id = ++lastId_;
    runs_.insert(isFirst ? firstWaiting() : runs_.end(), std::move(run));
    return lastId_;
}

std::vector<quint64> RunHistory::takeBack(const std::vector<quint64>& ids) {
    const std::set<quint64> wanted(ids.begin(), ids.end());
    std::vector<quint64> taken;
    const Index first = firstOpen();
    for (Index run = first; run != runs_.end(); ++run) {
        if (run->state == RunState::Waiting && wanted.contains(run->id)) {
            run->state = RunState::Cancelled;
            taken.push_back(run->id);
        }
    }
    std::stable_partition(first, runs_.end(), [](const QueuedRun& run) { return hasEnded(run); });
    return taken;
}

bool RunHistory::moveWaiting(const std::vector<quint64>& ids, int index) {
    const std::set<quint64> moved(ids.begin(), ids.end());
    const auto isMoved = [&](const QueuedRun& run) { return moved.contains(run.id); };
    std::vector<quint64> before;
    for (Index run = firstWaiting(); run != runs_.end(); ++run) {
        before.push_back(run->id);
    }
    const Index first = firstWaiting();
    const Index begin = std::stable_partition(first, runs_.end(), std::not_fn(isMoved));
    const std::ptrdiff_t remaining = begin - first;
    std::rotate(
        first + std::clamp(static_cast<std::ptrdiff_t>(index), std::ptrdiff_t{0}, remaining),
        begin,
        runs_.end());
    return !std::equal(before.begin(), before.end(), first, [](quint64 id, const QueuedRun& run) {
        return id == run.id;
    });
}

bool RunHistory::remove(const std::vector<quint64>& ids) {
    const std::set<quint64> gone(ids.begin(), ids.end());
    return std::erase_if(runs_, [&](const QueuedRun& run) {
               return hasEnded(run) && gone.contains(run.id);
           }) > 0;
}

void RunHistory::end(quint64 id, RunState state) {
    QueuedRun* run = find(id);
    run->state = state;
    if (run->nodeImage.step) {
        run->nodeImage = {};
    }
    if (!run->files.isEmpty()) {
        run->nodeImage.whole = {};  // a file has it
    }
    run->thumbnail = smallImage(run->nodeImage.image);
    thin();
}

bool RunHistory::thin() {
    const auto ended = static_cast<size_t>(firstOpen() - runs_.begin());
    for (size_t old = 0; old + kMostLarge < ended; ++old) {
        runs_[old].nodeImage.whole = {};
    }
    for (size_t old = 0; old + kMostWhole < ended; ++old) {
        runs_[old].nodeImage.image = {};
        runs_[old].report = nullptr;
    }
    if (ended <= kMostEnded) {
        return false;
    }
    runs_.erase(runs_.begin(), firstOpen() - static_cast<std::ptrdiff_t>(kMostEnded));
    return true;
}

const QueuedRun* RunHistory::writerOf(const QString& file) const {
    const auto found = std::find_if(runs_.rbegin(), runs_.rend(), [&](const QueuedRun& run) {
        return run.files.contains(file);
    });
    return found == runs_.rend() ? nullptr : &*found;
}

QStringList RunHistory::siblingFiles(const QString& file) const {
    const QueuedRun* run = writerOf(file);
    return run ? run->files : QStringList{file};
}

}  // namespace lowtide::ui
