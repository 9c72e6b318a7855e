#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lowtide::memory {

/// One moment of the time line.
struct LedgerEvent {
    double seconds = 0;  ///< since the run began
    std::string what;    ///< "copy", "evict", "enter", "leave", "collect", "offload", "record"
    std::string device{};
    std::string node{};
    std::string subject{};  ///< component, group or wire; empty where moves of several became one
    Bytes bytes = 0;
    int64_t count = 1;  ///< moves that became one
};

/// How often a group of a component came to a device and left it in a run.
struct GroupMoves {
    int64_t copies = 0;
    Bytes copied = 0;
    int64_t evictions = 0;
};

/// By device and by "component.group".
using MovesByGroup = std::map<std::pair<std::string, std::string>, GroupMoves>;

/// The time line of a run, thinned while it is written: beyond kMostMoves the copies, and the
/// evictions, of one node, device and slice of time become one moment, and slices grow with the
/// run. All other moments stay; the graph bounds them.
class Timeline {
public:
    /// More than a chart has pixels.
    static constexpr size_t kMostMoves = 2000;

    /// Seconds never fall from one event to the next.
    void add(LedgerEvent event);
    void clear();

    [[nodiscard]] const std::vector<LedgerEvent>& moments() const { return moments_; }

    /// Of every copy and eviction, also of those that became one.
    [[nodiscard]] const MovesByGroup& moves() const { return movesByGroup_; }

private:
    /// What, device, node and number of the slice.
    using Place = std::tuple<std::string, std::string, std::string, int64_t>;

    void count(const LedgerEvent& event);
    void put(LedgerEvent event);
    void thin();

    std::vector<LedgerEvent> moments_;
    size_t moves_ = 0;                ///< among the moments
    double slice_ = 0;                ///< seconds; 0: nothing became one yet
    std::map<Place, size_t> places_;  ///< of moves among the moments
    MovesByGroup movesByGroup_;
};

/// {"t", "what", "device", "node", "subject", "bytes"}, and "count" where several became one.
[[nodiscard]] Json toJson(const LedgerEvent& event);
[[nodiscard]] Json toJson(const std::vector<LedgerEvent>& moments);
/// [{"device", "group", "copies", "copied", "evictions"}].
[[nodiscard]] Json toJson(const MovesByGroup& moves);

}  // namespace lowtide::memory
