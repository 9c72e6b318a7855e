#pragma once

#include "plugin/base/json_fwd.hpp"

#include <map>
#include <string>
#include <vector>

namespace lowtide::qtnodes_host {

/// How a node stands in the run; hosts have a mark for each.
enum class NodeStatus : uint8_t { Nothing, Pending, Processing, Updated, Failed };

/// What is to be reported about a node, worst first.
enum class Verdict : uint8_t { Fine, Warnings, Errors };

struct NodeMark {
    NodeStatus status = NodeStatus::Nothing;
    Verdict verdict = Verdict::Fine;
    std::string message;  ///< one line for each thing; what to do stands behind it

    bool operator==(const NodeMark&) const = default;
};

/// Follows a run by its events (docs/events.md) and keeps what a host shows of it. One thread.
class RunStatus {
public:
    /// Forgets the last run and takes what `check` found in the graph.
    void setChecked(const Json& issues);
    void apply(const Json& event);

    [[nodiscard]] NodeMark markOf(const std::string& node) const;

    [[nodiscard]] bool isRunning() const { return isRunning_; }

    /// "ok", "invalid", "failed", "cancelled"; empty before the end.
    [[nodiscard]] const std::string& outcome() const { return outcome_; }

    /// One line for the status bar.
    [[nodiscard]] const std::string& line() const { return line_; }

    /// Thousandths of the phase that runs; -1 when none is known.
    [[nodiscard]] int permille() const { return permille_; }

    /// What belongs to no node: "error: ...".
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

    /// Files that the run wrote.
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

private:
    void begin(const Json& event);
    void progress(const Json& event);
    void end(const Json& event);
    void take(const Json& issue);
    void set(const Json& event, NodeStatus status);

    std::map<std::string, NodeMark> marks_;
    std::vector<std::string> messages_;
    std::vector<std::string> files_;
    std::string outcome_;
    std::string line_;
    int permille_ = -1;
    bool isRunning_ = false;
};

}  // namespace lowtide::qtnodes_host
