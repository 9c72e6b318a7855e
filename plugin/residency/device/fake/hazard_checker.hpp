#pragma once

#include "plugin/base/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::residency {

/// Who may touch device memory.
enum class Agent : uint8_t { Host, Compute, Copy };
inline constexpr size_t kAgentCount = 3;

/// How far each agent had come: a vector clock (Lamport 1978; Fidge, Mattern 1988).
using Clock = std::array<uint64_t, kAgentCount>;

enum class Access : uint8_t { Read, Write };

/// A range of device memory.
struct ByteRange {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
};

[[nodiscard]] inline ByteRange rangeOf(const void* data, Bytes bytes) {
    const auto* begin = static_cast<const std::byte*>(data);
    return {begin, begin + bytes};
}

/// Finds accesses to the same bytes that no event orders. It is notified when work is enqueued, not
/// when it runs, so the verdict does not depend on timing. Only bytes inside watched ranges are
/// followed, each byte by itself. Thread-safe.
class HazardChecker {
public:
    /// Follows `range` from now on, without a history.
    void watch(ByteRange range);
    /// Stops following; a copy that the host has not waited for is a fault ("memory was freed
    /// before ...").
    void unwatch(ByteRange range);

    /// An agent's work on several ranges begins: it comes after all that the host has waited for.
    void begin(Agent agent);
    /// `agent` reads or writes `range` in the work begun last; `what` names it in faults.
    void access(Agent agent, ByteRange range, Access access, const std::string& what);
    /// Where `agent` is now: the clock of an event recorded on it.
    [[nodiscard]] Clock clockOf(Agent agent) const;
    /// `agent`'s later work comes after everything in `clock`.
    void wait(Agent agent, const Clock& clock);

    /// The faults so far, each once: "aten::linear is not ordered after copy of X", "copy of X may
    /// overtake ...".
    [[nodiscard]] std::vector<std::string> faults() const;
    void forgetFaults();

private:
    struct Mark {
        uint64_t time = 0;  ///< 0: none
        std::string what;
    };

    /// The history of bytes up to `end` that were always touched together.
    struct Segment {
        const std::byte* end = nullptr;
        Agent writer = Agent::Host;
        Mark lastWrite;
        std::array<Mark, kAgentCount> lastReads;
    };

    using Segments = std::map<const std::byte*, Segment>;

    void splitAt(const std::byte* at);
    [[nodiscard]] bool isOrdered(Agent later, Agent earlier, const Mark& mark) const;
    void check(Agent agent, const Segment& segment, Access access, const std::string& what);
    void addFault(std::string fault);

    mutable std::mutex mutex_;
    std::array<Clock, kAgentCount> clocks_{};
    Segments segments_;
    std::vector<std::string> faults_;
};

}  // namespace lowtide::residency
