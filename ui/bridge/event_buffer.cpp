#include "ui/bridge/event_buffer.hpp"

#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace lowtide::ui {

namespace {

bool mayBeMissed(const std::string& kind) {
    return kind == "nodeProgress" || kind == "nodePreview" || kind == "memory";
}

int countIn(const Json& event, const char* key) {
    constexpr double kMost = 1e9;
    return static_cast<int>(std::clamp(numberIn(event, key), 0.0, kMost));
}

/// Over the pixels of the module.
QImage viewOf(const Image8& image) {
    const bool isKnown = image.channels == 1 || image.channels == 3 || image.channels == 4;
    if (!image.pixels || !isKnown || image.widthPixels < 1 || image.heightPixels < 1) {
        return {};
    }
    const auto format = image.channels == 1   ? QImage::Format_Grayscale8
                        : image.channels == 3 ? QImage::Format_RGB888
                                              : QImage::Format_RGBA8888;
    return {image.pixels.get(),
            image.widthPixels,
            image.heightPixels,
            image.widthPixels * image.channels,
            format};
}

}  // namespace

/// A copy that owns its pixels; null when the picture is none. One of fewer pixels than the result
/// becomes as large as that.
NodePicture EventBuffer::shownOf(const Preview& preview) {
    const QImage view = viewOf(preview.picture);
    const QSize whole = view.size() * std::max(1, preview.scale);
    const QSize most(kPicturePixels, kPicturePixels);
    const bool fits = whole.width() <= kPicturePixels && whole.height() <= kPicturePixels;
    const QSize shown = fits ? whole : whole.scaled(most, Qt::KeepAspectRatio);
    const bool isWhole = shown == view.size();
    const bool keepsWhole = !isWhole && !preview.step && view.sizeInBytes() <= kWholeBytes;
    return {.image = isWhole ? view.copy()
                             : view.scaled(shown, Qt::IgnoreAspectRatio, Qt::SmoothTransformation),
            .step = preview.step,
            .size = whole,
            .whole = keepsWhole ? view.copy() : QImage()};
}

void EventBuffer::event(std::string_view json) noexcept {
    try {
        store(json);
    } catch (const std::exception&) {
        countLost();
    }
}

void EventBuffer::store(std::string_view json) {
    Json event = Json::parse(json, nullptr, false);
    const std::string kind = textIn(event, "event");
    const std::lock_guard lock(mutex_);
    if (kind.empty()) {
        ++batch_.lost;
    } else if (mayBeMissed(kind)) {
        if (kind == "nodePreview") {
            announced_[textIn(event, "node")] = announcedBy(event);
        }
        storeNewest(std::move(event));
    } else {
        storeInOrder(std::move(event));
    }
}

EventBuffer::Preview EventBuffer::announcedBy(const Json& event) {
    constexpr double kMostScale = 64;
    Preview preview;
    const Json& isLive = memberIn(event, "live");
    if (isLive.is_boolean() && isLive.get<bool>()) {
        preview.step =
            PictureStep{.done = countIn(event, "done"), .total = countIn(event, "total")};
        preview.scale = static_cast<int>(std::clamp(numberIn(event, "scale"), 1.0, kMostScale));
    }
    return preview;
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
        Preview& preview = previews_[std::string(node)];
        preview = announced_[std::string(node)];
        preview.picture = picture;
    } catch (const std::exception&) {
        countLost();
    }
    changed_.notify_all();
}

EventBuffer::Batch EventBuffer::fetch() {
    const std::lock_guard lock(mutex_);
    newest_.clear();
    return std::exchange(batch_, Batch{});
}

void EventBuffer::makePictures() noexcept {
    for (;;) {
        std::map<std::string, Preview> previews;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return isStopped_ || !previews_.empty(); });
            if (previews_.empty()) {
                return;
            }
            previews.swap(previews_);
        }
        for (const auto& [node, preview] : previews) {
            try {
                makePicture(node, preview);
            } catch (const std::exception&) {
                countLost();
            }
        }
    }
}

void EventBuffer::makePicture(const std::string& node, const Preview& preview) {
    NodePicture picture = shownOf(preview);
    if (!picture.image.isNull()) {
        const std::lock_guard lock(mutex_);
        batch_.pictures[node] = std::move(picture);
    }
}

void EventBuffer::stopPictures() {
    {
        const std::lock_guard lock(mutex_);
        isStopped_ = true;
    }
    changed_.notify_all();
}

void EventBuffer::countLost() {
    const std::lock_guard lock(mutex_);
    ++batch_.lost;
}

}  // namespace lowtide::ui
