#include "ui/bridge/run_book.hpp"

#include "ui/bridge/picture_load.hpp"

#include <algorithm>
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

bool RunBook::takeBack(quint64 id) {
    const Place from = placeOf(id);
    if (from == runs_.end() || from->state != RunState::Waiting) {
        return false;
    }
    std::rotate(firstOpen(), from, from + 1);
    end(id, RunState::Cancelled);
    return true;
}

bool RunBook::moveWaiting(quint64 id, int place) {
    const Place from = placeOf(id);
    if (from == runs_.end() || from->state != RunState::Waiting) {
        return false;
    }
    const std::ptrdiff_t last = runs_.end() - firstWaiting() - 1;
    const Place to =
        firstWaiting() + std::clamp(static_cast<std::ptrdiff_t>(place), std::ptrdiff_t{0}, last);
    if (from < to) {
        std::rotate(from, from + 1, to + 1);
    } else {
        std::rotate(to, from, from + 1);
    }
    return from != to;
}

bool RunBook::remove(quint64 id) {
    const Place found = placeOf(id);
    if (found == runs_.end() || !hasEnded(*found)) {
        return false;
    }
    runs_.erase(found);
    return true;
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

void RunBook::thin() {
    const auto ended = static_cast<size_t>(firstOpen() - runs_.begin());
    for (size_t old = 0; old + kMostLarge < ended; ++old) {
        runs_[old].picture.whole = {};
    }
    for (size_t old = 0; old + kMostWhole < ended; ++old) {
        runs_[old].picture.image = {};
        runs_[old].report = nullptr;
    }
    if (ended > kMostEnded) {
        runs_.erase(runs_.begin(), firstOpen() - static_cast<std::ptrdiff_t>(kMostEnded));
    }
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
