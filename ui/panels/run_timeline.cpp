#include "ui/panels/run_timeline.hpp"

#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::ui {

void TimelineRecorder::begin(double now) {
    begin_ = now;
    line_ = {};
    line_.isLive = true;
    running_.reset();
}

void TimelineRecorder::take(const Json& event, double now) {
    const std::string kind = textIn(event, "event");
    const double at = now - begin_;
    line_.seconds = std::max(line_.seconds, at);
    if (kind == "nodeStarted") {
        running_ = ComputeSpan{textIn(event, "node"), at, at};
    } else if ((kind == "nodeFinished" || kind == "nodeFailed") && running_) {
        running_->end = at;
        line_.compute.push_back(*std::exchange(running_, std::nullopt));
    } else if (kind == "memory") {
        line_.held.push_back({at, bytesIn(event, "allocated")});
    }
}

RunTimeline TimelineRecorder::timeline(double now) const {
    RunTimeline line = line_;
    if (running_) {
        line.seconds = std::max(line.seconds, now - begin_);
        line.compute.push_back({running_->node, running_->begin, line.seconds});
    }
    return line;
}

RunTimeline timelineOf(const Json& report, const RunTimeline& live) {
    RunTimeline line;
    line.held = live.held;
    std::map<std::string, double> entered;
    for (const Json& event : memberIn(report, "timeline")) {
        const std::string what = textIn(event, "what");
        const std::string node = textIn(event, "node");
        const double at = numberIn(event, "t");
        const Bytes bytes = bytesIn(event, "bytes");
        line.seconds = std::max(line.seconds, at);
        if (what == "enter") {
            entered[node] = at;
        } else if (what == "leave" && entered.count(node) > 0) {
            line.compute.push_back({node, entered[node], at});
        } else if (what == "copy") {
            line.copies.push_back({at, bytes});
        } else if (what == "evict") {
            line.evictions.push_back({at, bytes});
        } else if (what == "collect") {
            line.collections.push_back({at, bytes, textIn(event, "subject")});
        }
    }
    return line;
}

}  // namespace lowtide::ui
