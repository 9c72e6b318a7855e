#include "plugin/executor/notifier.hpp"

#include "plugin/executor/ledger_charge.hpp"

namespace lowtide::executor {

namespace {

constexpr std::chrono::milliseconds kMemoryInterval(200);
/// An observer with more messages than this before it misses passing events, and pictures sooner.
constexpr size_t kFarBehind = 256;
constexpr size_t kFarBehindForPictures = 16;

Bytes pictureBytes(const Image8& picture) {
    return static_cast<Bytes>(picture.byteCount());
}

}  // namespace

Notifier::Notifier(memory::Ledger& ledger) : ledger_(ledger), thread_([this] { work(); }) {}

Notifier::~Notifier() {
    stop();
}

void Notifier::post(Observer& observer,
                    RunId run,
                    const Event& event,
                    std::function<void()> delivered) {
    Message message{.observer = &observer,
                    .run = run,
                    .text = toText(run, event),
                    .delivered = std::move(delivered)};
    const std::lock_guard lock(mutex_);
    if (isPassing(event) && queue_.size() >= kFarBehind) {
        return;
    }
    if (std::holds_alternative<RunFinished>(event) && live_ && live_->run == run) {
        live_.reset();
    }
    push(std::move(message));
}

void Notifier::post(Observer& observer,
                    RunId run,
                    const NodePreview& event,
                    const Image8& picture) {
    Message message{.observer = &observer,
                    .run = run,
                    .text = toText(run, event),
                    .node = event.node,
                    .picture = picture,
                    .isOfStep = event.step.has_value()};
    const std::lock_guard lock(mutex_);
    const bool isFarBehind = queue_.size() >= kFarBehindForPictures;
    if (message.isOfStep) {
        if (isFarBehind || hasStepOnWay_) {
            return;
        }
        hasStepOnWay_ = true;
        ledger_.add(kHostDevice, memory::Tag::Staging, event.node, pictureBytes(picture));
    } else if (isFarBehind) {
        message.picture.reset();  // the result itself is told in any case
    }
    push(std::move(message));
}

void Notifier::push(Message message) {
    queue_.push_back(std::move(message));
    changed_.notify_one();
}

void Notifier::beginMemory(Observer& observer, RunId run, std::string device) {
    const std::lock_guard lock(mutex_);
    live_ = {&observer, run, std::move(device), Clock::now()};
    changed_.notify_one();
}

bool Notifier::isOwnThread() const {
    return std::this_thread::get_id() == thread_.get_id();
}

void Notifier::stop() {
    if (isOwnThread()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Notifier::work() {
    while (const std::optional<Message> message = next()) {
        deliver(*message);
        if (message->delivered) {
            message->delivered();
        }
    }
}

void Notifier::deliver(const Message& message) {
    message.observer->event(message.text);
    if (!message.picture) {
        return;
    }
    message.observer->preview(message.run, message.node, *message.picture);
    if (message.isOfStep) {
        const std::lock_guard lock(mutex_);
        hasStepOnWay_ = false;
        ledger_.add(
            kHostDevice, memory::Tag::Staging, message.node, -pictureBytes(*message.picture));
    }
}

/// The next message, or a memory event when one is due; nothing at the end.
std::optional<Notifier::Message> Notifier::next() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (live_ && Clock::now() >= live_->next) {
            live_->next = Clock::now() + kMemoryInterval;
            // Behind what is queued: runStarted stays the first event of a run.
            queue_.push_back(
                {.observer = live_->observer,
                 .run = live_->run,
                 .text = toText(live_->run, MemoryUse{live_->device, ledger_.snapshot()})});
        }
        if (!queue_.empty()) {
            Message message = std::move(queue_.front());
            queue_.pop_front();
            return message;
        }
        if (stopping_) {
            return std::nullopt;
        }
        if (live_) {
            changed_.wait_until(lock, live_->next);
        } else {
            changed_.wait(lock);
        }
    }
}

}  // namespace lowtide::executor
