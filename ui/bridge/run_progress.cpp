#include "ui/bridge/run_progress.hpp"

#include "ui/bridge/answer.hpp"

#include <algorithm>

namespace lowtide::ui {

double RunProgress::weightOf(const std::string& node) const {
    const auto found = times_.find(node);
    return found == times_.end() ? average_ : found->second;
}

void RunProgress::setDone(const std::string& node, double share) {
    if (share >= 1) {
        running_.erase(node);
        ended_ += weightOf(node);
    } else {
        running_[node] = share * weightOf(node);
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

}  // namespace lowtide::ui
