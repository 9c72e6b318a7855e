#include "ui/bridge/run_book.hpp"

#include "ui/bridge/picture_load.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

/// Three bytes a pixel, and no longer a part of the large one.
QImage smallPicture(const QImage& picture) {
    if (picture.isNull()) {
        return {};
    }
    return boundedBy(picture, RunBook::kThumbnailPixels)
        .convertToFormat(picture.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied
                                                   : QImage::Format_RGB888);
}

}  // namespace

bool hasEnded(const QueuedRun& run) {
    return hasEnded(run.state);
}

const QImage& QueuedRun::largest() const {
    return picture.image.isNull() ? thumbnail : picture.largest();
}

RunBook::Place RunBook::placeOf(quint64 id) {
    return std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
}

RunBook::Place RunBook::firstOpen() {
    return std::find_if(
        runs_.begin(), runs_.end(), [](const QueuedRun& run) { return !hasEnded(run); });
}

RunBook::Place RunBook::firstWaiting() {
    return std::find_if(runs_.begin(), runs_.end(), [](const QueuedRun& run) {
        return run.state == RunState::Waiting;
    });
}

const QueuedRun* RunBook::find(quint64 id) const {
    const auto found = std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunBook::find(quint64 id) {
    const Place found = placeOf(id);
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunBook::nextWaiting() {
    const Place next = firstWaiting();
    return next == runs_.end() ? nullptr : &*next;
}

quint64 RunBook::add(QueuedRun run, bool isFirst) {
    run.id = ++lastId_;
    runs_.insert(isFirst ? firstWaiting() : runs_.end(), std::move(run));
    return lastId_;
}

std::vector<quint64> RunBook::takeBack(const std::vector<quint64>& ids) {
    const std::set<quint64> wanted(ids.begin(), ids.end());
    std::vector<quint64> taken;
    const Place first = firstOpen();
    for (Place run = first; run != runs_.end(); ++run) {
        if (run->state == RunState::Waiting && wanted.contains(run->id)) {
            run->state = RunState::Cancelled;
            taken.push_back(run->id);
        }
    }
    std::stable_partition(first, runs_.end(), [](const QueuedRun& run) { return hasEnded(run); });
    return taken;
}

bool RunBook::moveWaiting(const std::vector<quint64>& ids, int place) {
    const std::set<quint64> moved(ids.begin(), ids.end());
    const auto isMoved = [&](const QueuedRun& run) { return moved.contains(run.id); };
    std::vector<quint64> before;
    for (Place run = firstWaiting(); run != runs_.end(); ++run) {
        before.push_back(run->id);
    }
    const Place first = firstWaiting();
    const Place begin = std::stable_partition(first, runs_.end(), std::not_fn(isMoved));
    const std::ptrdiff_t staying = begin - first;
    std::rotate(first + std::clamp(static_cast<std::ptrdiff_t>(place), std::ptrdiff_t{0}, staying),
                begin,
                runs_.end());
    return !std::equal(before.begin(), before.end(), first, [](quint64 id, const QueuedRun& run) {
        return id == run.id;
    });
}

bool RunBook::remove(const std::vector<quint64>& ids) {
    const std::set<quint64> gone(ids.begin(), ids.end());
    return std::erase_if(runs_, [&](const QueuedRun& run) {
               return hasEnded(run) && gone.contains(run.id);
           }) > 0;
}

void RunBook::end(quint64 id, RunState state) {
    QueuedRun* run = find(id);
    run->state = state;
    if (run->picture.step) {
        run->picture = {};
    }
    if (!run->files.isEmpty()) {
        run->picture.whole = {};  // a file has it
    }
    run->thumbnail = smallPicture(run->picture.image);
    thin();
}

bool RunBook::thin() {
    const auto ended = static_cast<size_t>(firstOpen() - runs_.begin());
    for (size_t old = 0; old + kMostLarge < ended; ++old) {
        runs_[old].picture.whole = {};
    }
    for (size_t old = 0; old + kMostWhole < ended; ++old) {
        runs_[old].picture.image = {};
        runs_[old].report = nullptr;
    }
    if (ended <= kMostEnded) {
        return false;
    }
    runs_.erase(runs_.begin(), firstOpen() - static_cast<std::ptrdiff_t>(kMostEnded));
    return true;
}

const QueuedRun* RunBook::writerOf(const QString& file) const {
    const auto found = std::find_if(runs_.rbegin(), runs_.rend(), [&](const QueuedRun& run) {
        return run.files.contains(file);
    });
    return found == runs_.rend() ? nullptr : &*found;
}

QStringList RunBook::filesBeside(const QString& file) const {
    const QueuedRun* run = writerOf(file);
    return run ? run->files : QStringList{file};
}

}  // namespace lowtide::ui
