#include "ui/bridge/upkeep.hpp"

#include "ui/bridge/answer.hpp"

#include <chrono>
#include <functional>
#include <thread>

namespace lowtide::ui {

namespace {

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
               ? Upkeep::tr("a run is at work; try again when it has ended")
               : Upkeep::tr("the module refused without saying why");
}

}  // namespace

Upkeep::Upkeep(const Engine& engine, QObject* parent) : QObject(parent), engine_(engine) {}

Upkeep::~Upkeep() = default;

bool Upkeep::canUnload() const {
    return engine_.canCall("unload");
}

bool Upkeep::canMeasure() const {
    return engine_.canCall("calibrate");
}

void Upkeep::begin(const Chore& chore) {
    const auto ask = [chore, isUnloaded = canUnload(), &engine = engine_]() -> Answered {
        Answered answered;
        if (chore.kind == Chore::Kind::Measure) {
            answered.status = engine.call("calibrate", {{"device", chore.what}}, answered.text);
        } else if (chore.kind == Chore::Kind::Unload && isUnloaded) {
            std::string ignored;  // a refusal reads as that of release()
            answered.status = engine.call("unload", {{"component", chore.what}}, ignored);
        } else {
            answered.status = engine.runner().release(chore.what);
        }
        return answered;
    };
    ++open_;
    Q_EMIT began(chore);
    background_.run([this, chore, ask] {
        const QString problem = problemOf(insist(ask));
        return [this, chore, problem] { end(chore, problem); };
    });
}

void Upkeep::end(const Chore& chore, const QString& problem) {
    --open_;
    Q_EMIT ended(chore, problem);
}

}  // namespace lowtide::ui
