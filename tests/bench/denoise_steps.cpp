#include "tests/bench/denoise_steps.hpp"

#include "plugin/base/json.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <utility>

namespace lowtide::testing {

namespace {

Spent operator-(const Spent& end, const Spent& begin) {
    return {end.cpuSeconds - begin.cpuSeconds, end.seconds - begin.seconds};
}

Spent spentUntilNow() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
            std::chrono::duration<double>(now).count()};
}

std::vector<double> collected(const std::vector<Spent>& all, double Spent::*seconds) {
    std::vector<double> collected;
    std::transform(all.begin(), all.end(), std::back_inserter(collected), [&](const Spent& spent) {
        return spent.*seconds;
    });
    return collected;
}

}  // namespace

std::vector<double> cpuSecondsOf(const std::vector<Spent>& all) {
    return collected(all, &Spent::cpuSeconds);
}

std::vector<double> clockSecondsOf(const std::vector<Spent>& all) {
    return collected(all, &Spent::seconds);
}

void StepClock::see(const Json& event) {
    if (event.value("node", "") != "denoise") {
        return;
    }
    const Spent now = spentUntilNow();
    const auto what = event.at("event").get<std::string>();
    if (what == "nodeStarted") {
        begin_ = last_ = now;
    } else if (what == "nodeProgress" &&
               event.at("done").get<double>() > static_cast<double>(run_.steps.size())) {
        run_.steps.push_back(now - std::exchange(last_, now));
    } else if (what == "nodeFinished") {
        run_.whole = now - begin_;
    }
}

DenoiseSteps::DenoiseSteps(const TimedLine& begin, const std::vector<TimedLine>& ends) {
    const TimedLine* last = &begin;
    for (const TimedLine& end : ends) {
        const Spent spent{end.cpuSeconds - last->cpuSeconds, end.seconds - last->seconds};
        if (last == &begin) {
            first = spent;
        } else {
            later.push_back(spent);
        }
        last = &end;
    }
}

std::vector<DenoiseSteps> ourSteps(const WatchedProgram& run) {
    std::vector<DenoiseSteps> repetitions;
    TimedLine begin;
    std::vector<TimedLine> ends;
    for (const TimedLine& line : run.lines) {
        const Json event = Json::parse(line.text.toStdString(), nullptr, false);
        if (!event.is_object() || event.value("node", "") != "denoise") {
            continue;
        }
        if (event.at("event") == "nodeStarted") {
            begin = line;
            ends.clear();
        } else if (event.at("event") == "nodeProgress" &&
                   event.at("done").get<double>() > static_cast<double>(ends.size())) {
            ends.push_back(line);
        } else if (event.at("event") == "nodeFinished") {
            repetitions.emplace_back(begin, ends);
        }
    }
    return repetitions;
}

DenoiseSteps peerSteps(const WatchedProgram& run) {
    TimedLine begin;
    std::vector<TimedLine> ends;
    for (const TimedLine& line : run.lines) {
        if (line.text == "begin") {
            begin = line;
        } else if (line.text == "step") {
            ends.push_back(line);
        }
    }
    return {begin, ends};
}

}  // namespace lowtide::testing
