#pragma once

#include "plugin/base/json.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::service {

enum class RunState : uint8_t { Waiting, Running, Finished, Refused, Failed, Cancelled };

/// "waiting", "running", "finished", "refused", "failed", "cancelled".
[[nodiscard]] const char* nameOf(RunState state);

/// An integer without a fraction, as clients expect it.
[[nodiscard]] Json numberJson(double number);

/// One run that somebody asked for, with the graph as it was then.
struct StoredRun {
    std::string id;
    double number = 0;  ///< runs with smaller ones come first
    RunState state = RunState::Waiting;
    std::string graph;
    Json options;  ///< docs/events.md
    Json asked;    ///< what ComfyUI's protocol keeps of the request; null: it came another way
    int64_t created = 0;  ///< milliseconds since 1970; 0: not yet
    int64_t started = 0;
    int64_t ended = 0;
    /// "status", "ms", "issues", "executed", "files", and what a RunListener adds; empty: not ended
    Json result = Json::object();
};

/// Runs that wait, run or have ended, wherever they are kept. RunQueue calls it under its lock.
class RunStore {
public:
    virtual ~RunStore() = default;
    virtual void put(const StoredRun& run) = 0;
    /// The waiting run with the smallest number, which becomes a running one; nothing: none waits.
    [[nodiscard]] virtual std::optional<StoredRun> takeNext() = 0;
    /// The run of that id has become this.
    virtual void update(const StoredRun& run) = 0;
    virtual void remove(const std::string& id) = 0;
    [[nodiscard]] virtual std::optional<StoredRun> find(const std::string& id) const = 0;
    /// How many wait or run.
    [[nodiscard]] virtual size_t remaining() const = 0;
    /// Ended ones by their end, the running one, waiting ones by their number.
    [[nodiscard]] virtual std::vector<StoredRun> list() const = 0;
};

/// A store that ends with the program. Of the runs that have ended it keeps the newest `mostEnded`.
[[nodiscard]] std::unique_ptr<RunStore> makeMemoryStore(size_t mostEnded);

}  // namespace lowtide::service
