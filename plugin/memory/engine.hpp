#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/measurements.hpp"
#include "plugin/memory/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

enum class Outcome : uint8_t { Finished, Failed, Cancelled };

/// Counters of a run that are not bytes held: how much moved and how often compute had to wait.
struct Traffic {
    Bytes bytesToDevice = 0;     ///< of weights that move in groups
    Bytes rowBytesToDevice = 0;  ///< of rows that are gathered from tables
    Bytes bytesRead = 0;         ///< from files, in place or copied
    int64_t copies = 0;
    int64_t leases = 0;
    int64_t misses = 0;                  ///< leases of a group that nobody had brought
    std::vector<StageTraffic> stages{};  ///< that were left, in order; again where one ran again
};

/// The seam between the executor, which knows nodes, and residency, which moves weights. One object
/// for all devices, called from the run thread, except ledger(), which any thread may read.
class Engine {
public:
    virtual ~Engine() = default;

    /// Opens a device (once) and states what it is. Error{Device} when there is none or it was
    /// lost, Error{InvalidInput} for a bad spec.
    virtual DeviceInfo open(const DeviceSpec& spec) = 0;
    virtual DeviceTraits traits(const DeviceSpec& spec) = 0;
    /// How fast the device is: as measured on this machine, else a guess by its kind. It is open.
    virtual DeviceProfile profile(const DeviceSpec& spec) = 0;
    /// Devices that this machine offers, opened or not.
    virtual std::vector<DeviceInfo> devices() = 0;

    /// Opens the devices of `plan` and checks that weight files are still those of the trees;
    /// arenas come with the nodes.
    virtual void begin(std::shared_ptr<const Plan> plan, const StopToken& stop) = 0;
    /// The arenas of residencies that begin here are allocated; the node's components arrive as
    /// their policies state. Throws Error{OutOfMemory},
    /// Error{Cancelled}, Error{Corrupt}.
    virtual void enter(NodeIndex node) = 0;
    /// Whether what the entered node computed may be used. Error{Corrupt} names a weight file that
    /// changed while the node worked with it; Error{OutOfMemory}: an allocation failed and nobody
    /// reported it.
    virtual void confirm(NodeIndex node) = 0;
    /// Components at their last use go as `after` states; also after a throw.
    virtual void leave(NodeIndex node) noexcept = 0;
    /// Error{Device} names a device of the run that was lost, which is why whatever else failed:
    /// nothing more can be asked of it in this process, and open() refuses it from now on.
    virtual void requireDevices() = 0;
    /// Another plan for the rest of the run, between two nodes: what is on the devices leaves,
    /// except what is kept.
    virtual void replan(std::shared_ptr<const Plan> plan) = 0;
    /// Everything not kept leaves the devices; no copy is pending afterwards.
    virtual void end(Outcome outcome) noexcept = 0;

    /// Frees kept components, and what is pinned for them; `component` as isNamed() takes it.
    /// Returns the bytes given back. Not during a run.
    virtual Bytes release(std::string_view component) = 0;

    /// What the device and the host hold now, measured. The device is open.
    [[nodiscard]] virtual MemoryState memoryState(const DeviceSpec& spec) = 0;
    /// Gives blocks that the allocators keep without need back to the device and to the system, and
    /// returns the measured bytes. Weights, packed weights and plans are kept. The device is open.
    virtual Bytes collect(const DeviceSpec& spec) = 0;
    /// Makes components leave their devices now, also during a run between two nodes; `component`
    /// as isNamed() takes it. With `dropHost` their host copies are closed too. A component that
    /// is used again comes back as its policy states. Returns the device bytes given back.
    virtual Bytes offload(std::string_view component, bool dropHost) = 0;
    /// What earlier runs left on devices.
    [[nodiscard]] virtual std::vector<KeptComponent> keptComponents() const = 0;
    /// What remains pinned in host memory though nothing of it is used now.
    [[nodiscard]] virtual std::vector<PinnedComponent> pinnedComponents() const = 0;
    /// Gives that memory back, also during a run; 0 where it is used now. Returns the bytes.
    virtual Bytes unpin(const PinnedComponent& pinned) = 0;
    [[nodiscard]] virtual Ledger& ledger() noexcept = 0;
    [[nodiscard]] virtual Traffic traffic() const noexcept = 0;
    /// Bytes that the device's own allocator holds for us, to be compared with the ledger.
    [[nodiscard]] virtual Bytes allocatedOn(const DeviceSpec& spec) const = 0;
    /// Empty for a device that is no rehearsal.
    [[nodiscard]] virtual std::optional<RehearsalCounts> rehearsal(
        const DeviceSpec& spec) const = 0;
};

}  // namespace lowtide::memory
