#include "tests/bench/denoise_steps.hpp"

#include "plugin/base/json.hpp"

namespace lowtide::testing {

DenoiseSteps::DenoiseSteps(double begin, const std::vector<double>& ends) {
    for (size_t i = 0; i < ends.size(); ++i) {
        if (i == 0) {
            first = ends[i] - begin;
        } else {
            later.push_back(ends[i] - ends[i - 1]);
        }
    }
}

std::vector<DenoiseSteps> ourSteps(const WatchedProgram& run) {
    std::vector<DenoiseSteps> repetitions;
    double begin = 0;
    std::vector<double> ends;
    for (const TimedLine& line : run.lines) {
        const Json event = Json::parse(line.text.toStdString(), nullptr, false);
        if (!event.is_object() || event.value("node", "") != "denoise") {
            continue;
        }
        if (event.at("event") == "nodeStarted") {
            begin = line.seconds;
            ends.clear();
        } else if (event.at("event") == "nodeProgress" &&
                   event.at("done").get<double>() > static_cast<double>(ends.size())) {
            ends.push_back(line.seconds);
        } else if (event.at("event") == "nodeFinished") {
            repetitions.emplace_back(begin, ends);
        }
    }
    return repetitions;
}

DenoiseSteps peerSteps(const WatchedProgram& run) {
    double begin = 0;
    std::vector<double> ends;
    for (const TimedLine& line : run.lines) {
        if (line.text == "begin") {
            begin = line.seconds;
        } else if (line.text == "step") {
            ends.push_back(line.seconds);
        }
    }
    return {begin, ends};
}

}  // namespace lowtide::testing
