#include "ui/bridge/device_memory.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace lowtide::ui {

namespace {

/// GiB of cards of everyday sizes; the memory panel takes any other.
constexpr int kCards[] = {4, 6, 8, 12, 24};

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

using Clock = std::chrono::steady_clock;

/// The module refuses while a run or a plan is at work. A plan is over in a moment.
constexpr std::chrono::milliseconds kPatience(600);
constexpr std::chrono::milliseconds kBetweenTries(50);

struct Answered {
    Status status = Status::Ok;
    std::string text;  ///< JSON with issues, where the module gives some
};

/// Of the worker thread.
Answered insist(const std::function<Answered()>& ask) {
    const Clock::time_point end = Clock::now() + kPatience;
    Answered answered = ask();
    while (answered.status == Status::Failed && Clock::now() < end) {
        std::this_thread::sleep_for(kBetweenTries);
        answered = ask();
    }
    return answered;
}

QString problemOf(const Answered& answered) {
    if (answered.status == Status::Ok) {
        return {};
    }
    if (const std::string message = firstMessageIn(answered.text); !message.empty()) {
        return QString::fromStdString(message);
    }
    return answered.status == Status::Failed
               ? MaintenanceJob::tr("a run is at work; try again when it has ended")
               : MaintenanceJob::tr("the module refused without saying why");
}

}  // namespace

std::vector<std::string> rehearsedCards() {
    std::vector<std::string> cards;
    for (const int size : kCards) {
        cards.push_back("fake:" + std::to_string(size) + "GiB");
    }
    return cards;
}

std::vector<std::string> deviceNames(const Json& devices) {
    std::vector<std::string> names;
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        const std::string name = device.value("id", std::string());
        if (!name.empty() && !name.starts_with("fake")) {
            names.push_back(name);
        }
    }
    const std::vector<std::string> cards = rehearsedCards();
    names.insert(names.end(), cards.begin(), cards.end());
    return names;
}

Bytes rehearsedBytes(const std::string& spec) {
    try {
        return memory::parseDeviceSpec(spec).capacity.value_or(0);
    } catch (const Error&) {
        return 0;  // the check names what is wrong with it
    }
}

bool isRehearsal(const std::string& spec) {
    try {
        return memory::deviceKind(memory::parseDeviceSpec(spec).kind).isRehearsed;
    } catch (const Error&) {
        return false;
    }
}

MemoryFeed::MemoryFeed(Runner& runner, QObject* parent) : QObject(parent), runner_(runner) {
    connect(&timer_, &QTimer::timeout, this, [this] {
        if (!isAsking_) {
            askNow();  // a slow module is not asked faster than it answers
        }
    });
}

void MemoryFeed::setRunning(bool isRunning) {
    if (isRunning != isRunning_) {
        isRunning_ = isRunning;
        adjust();
    }
}

void MemoryFeed::setWatched(bool isWatched) {
    if (isWatched != isWatched_) {
        isWatched_ = isWatched;
        adjust();
    }
}

/// The last look after a run shows what remained.
void MemoryFeed::adjust() {
    askNow();
    if (isRunning_) {
        timer_.start(kRunningMilliseconds);
    } else if (isWatched_) {
        timer_.start(kWatchedMilliseconds);
    } else {
        timer_.stop();
    }
}

void MemoryFeed::askNow() {
    if (isAsking_) {
        mustAskAgain_ = true;
        return;
    }
    isAsking_ = true;
    background_.run([this, withDevices = !isRunning_] {
        auto now = std::make_shared<MemoryNow>(askMemory(runner_, withDevices));
        return [this, now] { take(*now); };
    });
}

void MemoryFeed::take(const MemoryNow& now) {
    isAsking_ = false;
    if (std::exchange(mustAskAgain_, false)) {
        askNow();
    }
    const bool isNew = now.ledger != now_.ledger ||
                       (!now.devices.is_null() && now.devices != now_.devices) ||
                       (!now.cards.is_null() && now.cards != now_.cards);
    if (!isNew) {
        return;
    }
    now_.ledger = now.ledger;
    if (!now.devices.is_null()) {
        now_.devices = now.devices;
    }
    if (!now.cards.is_null()) {
        now_.cards = now.cards;
    }
    Q_EMIT changed(now_);
}

MaintenanceJob::MaintenanceJob(const Engine& engine, QObject* parent)
    : QObject(parent), engine_(engine) {}

void MaintenanceJob::begin(const MaintenanceTask& task) {
    const auto ask = [task, isUnloaded = canUnload(), &engine = engine_]() -> Answered {
        Answered answered;
        if (task.kind == MaintenanceTask::Kind::Measure) {
            answered.status = engine.call("calibrate", {{"device", task.what}}, answered.text);
        } else if (task.kind == MaintenanceTask::Kind::Unload && isUnloaded) {
            std::string ignored;  // a refusal reads as that of release()
            answered.status = engine.call("unload", {{"component", task.what}}, ignored);
        } else {
            answered.status = engine.runner().release(task.what);
        }
        return answered;
    };
    ++open_;
    Q_EMIT began(task);
    background_.run([this, task, ask] {
        const QString problem = problemOf(insist(ask));
        return [this, task, problem] {
            --open_;
            Q_EMIT ended(task, problem);
        };
    });
}

}  // namespace lowtide::ui
