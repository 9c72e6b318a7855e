#include "tests/bench/denoise_steps.hpp"

#include "plugin/base/json.hpp"

namespace lowtide::testing {

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
