#pragma once
// Who owns which bytes, and the time line of a run.

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
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
/// run. All other moments are kept; the graph bounds them.
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
    using Index = std::tuple<std::string, std::string, std::string, int64_t>;

    void count(const LedgerEvent& event);
    void put(LedgerEvent event);
    void thin();

    std::vector<LedgerEvent> moments_;
    size_t moves_ = 0;                   ///< among the moments
    double slice_ = 0;                   ///< seconds; 0: nothing became one yet
    std::map<Index, size_t> positions_;  ///< of moves among the moments
    MovesByGroup movesByGroup_;
};

/// {"t", "what", "device", "node", "subject", "bytes"}, and "count" where several became one.
[[nodiscard]] Json toJson(const LedgerEvent& event);
[[nodiscard]] Json toJson(const std::vector<LedgerEvent>& moments);
/// [{"device", "group", "copies", "copied", "evictions"}].
[[nodiscard]] Json toJson(const MovesByGroup& moves);

/// What bytes are for.
enum class Tag : uint8_t { Weights, Activations, Wires, Cache, Staging, Workspace };
inline constexpr size_t kTagCount = 6;
[[nodiscard]] std::string_view nameOf(Tag tag) noexcept;

/// What one device holds: bytes by tag, the same by owner, and the most that was held since
/// beginRun().
struct DeviceLedger {
    std::array<Bytes, kTagCount> byTag{};
    std::map<std::string, std::array<Bytes, kTagCount>, std::less<>> byOwner;
    Bytes total = 0;
    Bytes peak = 0;
    std::array<Bytes, kTagCount> peakByTag{};
    Bytes capacity = 0;  ///< of the device as it was opened last; 0: not known
};

/// Hears every event of a run, also those that the time line thins. Must not call the ledger.
using EventListener = std::function<void(const LedgerEvent& event)>;

/// Exact bytes by device, owner and tag, and the time line of the current run. Thread-safe.
class Ledger {
public:
    /// Adds `delta` (negative: takes away, and throws nothing). A balance that would fall below
    /// zero becomes zero, and takeFault() reports it.
    void add(std::string_view device, Tag tag, std::string_view owner, Bytes delta);
    /// Replaces the balance of one owner, for figures that are measured as a whole (activations).
    void set(std::string_view device, Tag tag, std::string_view owner, Bytes bytes);
    /// What a device has in all, to be reported with what it holds: a rehearsed GPU's size is that
    /// of the run.
    void setCapacity(std::string_view device, Bytes capacity);
    /// Something went wrong where nothing may be thrown: the run that is going on must fail.
    void noteFault(std::string_view words) noexcept;
    /// What went wrong first since the last call, a wrong booking among it; empty: nothing did.
    [[nodiscard]] Message takeFault();
    /// Starts a time line; peaks begin at what is held now.
    void beginRun();
    /// Peaks begin again at what is held now, for a stage of its own.
    void resetPeaks();
    void event(
        std::string what, std::string device, std::string node, std::string subject, Bytes bytes);
    /// Replaces the listener; empty: nobody listens.
    void listen(EventListener listener);

    [[nodiscard]] Bytes bytesOn(std::string_view device) const;
    [[nodiscard]] Bytes bytesOn(std::string_view device, Tag tag) const;
    [[nodiscard]] Bytes peakOn(std::string_view device) const;
    [[nodiscard]] std::map<std::string, DeviceLedger, std::less<>> snapshot() const;
    [[nodiscard]] Timeline timeline() const;

private:
    void change(std::string_view device, Tag tag, std::string_view owner, Bytes delta);
    void noteMissing(std::string_view device,
                     Tag tag,
                     std::string_view owner,
                     Bytes missing) noexcept;

    mutable std::mutex mutex_;
    std::map<std::string, DeviceLedger, std::less<>> devices_;
    Timeline timeline_;
    EventListener listener_;
    Message fault_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// {"cpu": {"capacity", "total", "peak", "tags": {...}, "peak_tags": {...}, "owners": {...}}}.
[[nodiscard]] Json toJson(const std::map<std::string, DeviceLedger, std::less<>>& devices);

}  // namespace lowtide::memory
