#include "tests/bench/step_clock.hpp"

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

}  // namespace lowtide::testing
