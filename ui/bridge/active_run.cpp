#include "ui/bridge/active_run.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <exception>
#include <system_error>
#include <thread>
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

/// Makes images of a run until its end, which wait() reports: an event of it may be lost.
class ImageThread {
public:
    explicit ImageThread(EventBuffer& buffer) : buffer_(buffer) {
        try {
            thread_ = std::thread([&buffer] { buffer.makeImages(); });
        } catch (const std::system_error&) {  // the run goes on, nobody sees its images
        }
    }

    ~ImageThread() {
        buffer_.stopImages();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    ImageThread(const ImageThread&) = delete;
    ImageThread& operator=(const ImageThread&) = delete;

private:
    EventBuffer& buffer_;
    std::thread thread_;
};

}  // namespace

QString phaseText(const Json& event) {
    const QString word = moduleWord(QString::fromStdString(textIn(event, "phase")));
    const double total = numberIn(event, "total");
    if (total <= 0) {
        return word;
    }
    return QCoreApplication::translate("Phase", "%1 %2 of %3")
        .arg(word)
        .arg(std::llround(numberIn(event, "done")))
        .arg(std::llround(total));
}

std::optional<double> secondsLeftIn(const Json& event) {
    const Json& left = memberIn(event, "eta");
    return left.is_number() ? std::optional(left.get<double>()) : std::nullopt;
}

double RunProgress::weightOf(const std::string& node) const {
    const auto found = times_.find(node);
    return found == times_.end() ? average_ : found->second;
}

void RunProgress::setDone(const std::string& node, double fraction) {
    if (fraction >= 1) {
        running_.erase(node);
        ended_ += weightOf(node);
    } else {
        running_[node] = fraction * weightOf(node);
    }
    double sum = ended_;
    for (const auto& [each, weight] : running_) {
        sum += weight;
    }
    value_ = whole_ > 0 ? std::clamp(sum / whole_, value_, 1.0) : value_;
}

void RunProgress::take(const Json& event) {
    const std::string kind = textIn(event, "event");
    const std::string node = textIn(event, "node");
    if (kind == "runStarted") {
        double sum = 0;
        for (const auto& [each, time] : times_) {
            sum += time;
        }
        average_ = sum > 0 ? sum / static_cast<double>(times_.size()) : 1;
        for (const Json& each : memberIn(event, "nodes")) {
            whole_ += each.is_string() ? weightOf(each.get<std::string>()) : 0;
        }
        whole_ *= std::max(1.0, numberIn(event, "repetitions"));
    } else if (kind == "nodeCached" || kind == "nodeFinished") {
        setDone(node, 1);
    } else if (kind == "nodeProgress") {
        const double total = numberIn(event, "total");
        setDone(node, total > 0 ? std::clamp(numberIn(event, "done") / total, 0.0, 0.999) : 0);
    } else if (kind == "runFinished" && textIn(event, "status") == "ok") {
        value_ = 1;
    }
}

/// A copy that owns its pixels; null when the image is none. One of fewer pixels than the result
/// becomes as large as that.
NodeImage EventBuffer::shownOf(const Preview& preview) {
    const QImage view = asImage(preview.nodeImage);
    const QSize whole = view.size() * std::max(1, preview.scale);
    const QSize most(kImagePixels, kImagePixels);
    const bool fits = whole.width() <= kImagePixels && whole.height() <= kImagePixels;
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
        preview.step = ImageStep{.done = countIn(event, "done"), .total = countIn(event, "total")};
        preview.scale = static_cast<int>(std::clamp(numberIn(event, "scale"), 1.0, kMostScale));
    }
    return preview;
}

void EventBuffer::storeNewest(Json event) {
    const std::string key = textIn(event, "event") + ' ' + textIn(event, "node");
    const auto [entry, isNew] = newest_.try_emplace(key, batch_.events.size());
    if (!isNew) {
        batch_.events[entry->second] = std::move(event);
    } else if (batch_.events.size() < kMostEvents) {
        batch_.events.push_back(std::move(event));
    } else {
        newest_.erase(entry);
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

void EventBuffer::preview(RunId, std::string_view node, const Image8& nodeImage) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        Preview& preview = previews_[std::string(node)];
        preview = announced_[std::string(node)];
        preview.nodeImage = nodeImage;
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

void EventBuffer::makeImages() noexcept {
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
                makeImage(node, preview);
            } catch (const std::exception&) {
                countLost();
            }
        }
    }
}

void EventBuffer::makeImage(const std::string& node, const Preview& preview) {
    NodeImage nodeImage = shownOf(preview);
    if (!nodeImage.image.isNull()) {
        const std::lock_guard lock(mutex_);
        batch_.images[node] = std::move(nodeImage);
    }
}

void EventBuffer::stopImages() {
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

bool ActiveRun::isCancelled() {
    const std::lock_guard lock(mutex_);
    return asked_ != CancelMode::No;
}

void ActiveRun::setStarted(Runner& runner, RunId run) {
    const std::lock_guard lock(mutex_);
    run_ = run;
    isStarted_ = true;
    if (asked_ != CancelMode::No) {
        runner.cancel(run, asked_);
    }
}

void ActiveRun::cancel(Runner& runner, CancelMode mode) {
    const std::lock_guard lock(mutex_);
    if (mode <= asked_) {
        return;
    }
    asked_ = mode;
    if (isStarted_) {
        runner.cancel(run_, mode);
    }
}

ActiveRun::Result ActiveRun::carryOut(Runner& runner,
                                      const std::string& graph,
                                      const std::string& options) {
    Result result;
    if (isCancelled()) {
        result.status = Status::Cancelled;
        result.text = R"({"issues": []})";
        return result;
    }
    RunId run = 0;
    result.status = runner.start(graph, options, buffer_, run, result.text);
    if (result.status != Status::Ok) {
        return result;
    }
    result.hasBegun = true;
    setStarted(runner, run);
    const ImageThread images(buffer_);
    result.status = runner.wait(run, result.text);
    return result;
}

}  // namespace lowtide::ui
