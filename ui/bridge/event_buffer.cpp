#include "ui/bridge/event_buffer.hpp"

#include "ui/bridge/answer.hpp"

#include <exception>
#include <utility>

namespace lowtide::ui {

namespace {

bool mayBeMissed(const std::string& kind) {
    return kind == "nodeProgress" || kind == "nodePreview" || kind == "memory";
}

/// A copy that owns its pixels; null when the picture is none.
QImage pictureOf(const Image8& image) {
    const bool isKnown = image.channels == 1 || image.channels == 3 || image.channels == 4;
    if (!image.pixels || !isKnown || image.widthPixels < 1 || image.heightPixels < 1) {
        return {};
    }
    const auto format = image.channels == 1   ? QImage::Format_Grayscale8
                        : image.channels == 3 ? QImage::Format_RGB888
                                              : QImage::Format_RGBA8888;
    const QImage view(image.pixels.get(),
                      image.widthPixels,
                      image.heightPixels,
                      image.widthPixels * image.channels,
                      format);
    const int most = EventBuffer::kPicturePixels;
    if (view.width() <= most && view.height() <= most) {
        return view.copy();
    }
    return view.scaled(most, most, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

}  // namespace

void EventBuffer::event(std::string_view json) noexcept {
    try {
        store(json);
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        ++batch_.lost;
    }
}

void EventBuffer::store(std::string_view json) {
    Json event = Json::parse(json, nullptr, false);
    const std::string kind = textIn(event, "event");
    const std::lock_guard lock(mutex_);
    if (kind.empty()) {
        ++batch_.lost;
    } else if (mayBeMissed(kind)) {
        storeNewest(std::move(event));
    } else {
        isFinished_ = isFinished_ || kind == "runFinished";
        storeInOrder(std::move(event));
    }
    if (isFinished_) {
        changed_.notify_all();
    }
}

void EventBuffer::storeNewest(Json event) {
    const std::string key = textIn(event, "event") + ' ' + textIn(event, "node");
    const auto [place, isNew] = newest_.try_emplace(key, batch_.events.size());
    if (!isNew) {
        batch_.events[place->second] = std::move(event);
    } else if (batch_.events.size() < kMostEvents) {
        batch_.events.push_back(std::move(event));
    } else {
        newest_.erase(place);
        ++batch_.lost;
    }
}

/// What comes for the node later must not take the place of what came before this one.
void EventBuffer::storeInOrder(Json event) {
    const std::string node = textIn(event, "node");
    newest_.erase("nodeProgress " + node);
    newest_.erase("nodePreview " + node);
    if (batch_.events.size() < kMostEvents || textIn(event, "event") == "runFinished") {
        batch_.events.push_back(std::move(event));
    } else {
        ++batch_.lost;
    }
}

void EventBuffer::preview(RunId, std::string_view node, const Image8& picture) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        previews_[std::string(node)] = picture;
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        ++batch_.lost;
    }
    changed_.notify_all();
}

EventBuffer::Batch EventBuffer::fetch() {
    const std::lock_guard lock(mutex_);
    newest_.clear();
    return std::exchange(batch_, Batch{});
}

void EventBuffer::makePictures() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return isFinished_ || !previews_.empty(); });
        if (previews_.empty()) {
            return;
        }
        const std::map<std::string, Image8> previews = std::exchange(previews_, {});
        lock.unlock();
        std::map<std::string, QImage> pictures;
        for (const auto& [node, image] : previews) {
            if (QImage picture = pictureOf(image); !picture.isNull()) {
                pictures[node] = std::move(picture);
            }
        }
        lock.lock();
        for (auto& [node, picture] : pictures) {
            batch_.pictures[node] = std::move(picture);
        }
    }
}

}  // namespace lowtide::ui
