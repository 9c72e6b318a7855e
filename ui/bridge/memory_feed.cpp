#include "ui/bridge/memory_feed.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"

#include <QTimer>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kRunningMilliseconds = 200;
constexpr int kWatchedMilliseconds = 1000;

/// Of the worker thread.
MemoryNow askMemory(Runner& runner, bool withDevices) {
    MemoryNow now;
    std::string text;
    if (runner.memory(text) == Status::Ok) {
        now.ledger = answerOf(text);
    }
    if (withDevices && runner.devices(text) == Status::Ok) {
        const Json answer = answerOf(text);
        now.devices = memberIn(answer, "devices");
        now.cards = memberIn(answer, "cards");
    }
    return now;
}

}  // namespace

struct MemoryFeed::State {
    explicit State(Runner& module) : runner(module) {}

    Runner& runner;
    MemoryNow now;
    bool isRunning = false;
    bool isWatched = false;
    bool isAsking = false;
    bool mustAskAgain = false;  ///< somebody wants a look that begins after now
    QTimer timer;
    Background background;
};

MemoryFeed::MemoryFeed(Runner& runner, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(runner)) {
    connect(&state_->timer, &QTimer::timeout, this, [this] {
        if (!state_->isAsking) {
            askNow();  // a slow module is not asked faster than it answers
        }
    });
}

MemoryFeed::~MemoryFeed() = default;

const MemoryNow& MemoryFeed::now() const {
    return state_->now;
}

void MemoryFeed::setRunning(bool isRunning) {
    if (isRunning != state_->isRunning) {
        state_->isRunning = isRunning;
        adjust();
    }
}

void MemoryFeed::setWatched(bool isWatched) {
    if (isWatched != state_->isWatched) {
        state_->isWatched = isWatched;
        adjust();
    }
}

/// The last look after a run shows what stayed.
void MemoryFeed::adjust() {
    askNow();
    if (state_->isRunning) {
        state_->timer.start(kRunningMilliseconds);
    } else if (state_->isWatched) {
        state_->timer.start(kWatchedMilliseconds);
    } else {
        state_->timer.stop();
    }
}

void MemoryFeed::askNow() {
    if (state_->isAsking) {
        state_->mustAskAgain = true;
        return;
    }
    state_->isAsking = true;
    state_->background.run([this, &runner = state_->runner, withDevices = !state_->isRunning] {
        auto now = std::make_shared<MemoryNow>(askMemory(runner, withDevices));
        return [this, now] { take(*now); };
    });
}

void MemoryFeed::take(const MemoryNow& now) {
    state_->isAsking = false;
    if (std::exchange(state_->mustAskAgain, false)) {
        askNow();
    }
    const bool isNew = now.ledger != state_->now.ledger ||
                       (!now.devices.is_null() && now.devices != state_->now.devices) ||
                       (!now.cards.is_null() && now.cards != state_->now.cards);
    if (!isNew) {
        return;
    }
    state_->now.ledger = now.ledger;
    if (!now.devices.is_null()) {
        state_->now.devices = now.devices;
    }
    if (!now.cards.is_null()) {
        state_->now.cards = now.cards;
    }
    Q_EMIT changed(state_->now);
}

}  // namespace lowtide::ui
