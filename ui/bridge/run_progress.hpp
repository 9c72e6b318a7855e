#pragma once

#include "plugin/base/json_fwd.hpp"

#include <map>
#include <set>
#include <string>

namespace lowtide::ui {

/// Milliseconds that nodes took when they last executed, by id.
using NodeTimes = std::map<std::string, double>;

/// How far a run is, from its events: nodes count by the time that they took last time, those that
/// nobody measured like the average one.
class RunProgress {
public:
    explicit RunProgress(NodeTimes times = {}) : times_(std::move(times)) {}

    void take(const Json& event);

    /// 0 to 1; never less than before.
    [[nodiscard]] double value() const { return value_; }

private:
    [[nodiscard]] double weightOf(const std::string& node) const;
    void setDone(const std::string& node, double share);

    NodeTimes times_;
    double average_ = 1;
    double whole_ = 0;
    double ended_ = 0;  ///< weight of evaluations that are over
    std::map<std::string, double> running_;
    double value_ = 0;
};

}  // namespace lowtide::ui
