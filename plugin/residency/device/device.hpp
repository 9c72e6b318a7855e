#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/measurements.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/residency/device/held_bytes.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lowtide::residency {

/// A point in the order of one queue (copy or compute). Unrecorded events are complete.
class Event {
public:
    virtual ~Event() = default;
};

using EventRef = std::shared_ptr<Event>;

/// Device memory for weights: one allocation, freed with the object.
class Arena {
public:
    virtual ~Arena() = default;
    [[nodiscard]] virtual std::byte* data() const = 0;
    [[nodiscard]] virtual Bytes size() const = 0;
};

/// Writes bytes [offset, offset + count) of a weight, in the compute type, to `target`. Runs on the
/// copy thread; may throw (cancelled, I/O error), which the event recorded behind it then rethrows.
/// False: the bytes are no longer wanted, they were not written and the rest of the copy is left
/// out.
using ByteSource = std::function<bool(std::byte* target, Bytes offset, Bytes count)>;

/// Another type of as many numbers.
struct TypeChange {
    DType from = DType::F16;
    DType to = DType::F32;

    bool operator==(const TypeChange&) const = default;
};

/// Bytes that cross to a device.
struct Transfer {
    std::byte* target = nullptr;
    Bytes bytes = 0;                      ///< that cross
    std::optional<TypeChange> widened{};  ///< on the device; nothing is rounded
};

/// Work that a device was given once and does again without the host's part in it.
class WorkRecord {
public:
    virtual ~WorkRecord() = default;
    /// Gives the work to compute once more: the same operations on the same addresses.
    virtual void replay() = 0;
};

/// Counters of a device's allocator since it was opened.
struct AllocatorState {
    int64_t retries = 0;      ///< allocations that succeeded after the allocator had emptied itself
    int64_t outOfMemory = 0;  ///< allocations that failed
    Bytes cached = 0;         ///< bytes that it holds and nobody uses
};

/// What some devices can do besides; the defaults are those of a device that cannot.
class DeviceExtras {
public:
    virtual ~DeviceExtras() = default;

    /// Host memory of allocateStaging(), as many bytes as the traits state, for copyIn() while a
    /// run uses the device; empty: it is taken back. The copy queue is idle.
    virtual void lendStaging(std::span<std::byte>) {}

    /// A way of its own for dequantised(); nothing: there is none.
    virtual std::optional<at::Tensor> dequantise(const at::Tensor&, const at::Tensor&, DType) {
        return {};
    }

    /// A way of its own for decoded(); nothing: there is none for this encoding.
    virtual std::optional<at::Tensor> decode(const HeldBytes&, at::IntArrayRef, DType) {
        return {};
    }

    /// Records what `work` gives to compute instead of doing it. Tensors that it makes belong to
    /// the record. Only where traits().replays; throws what `work` throws, and what LibTorch throws
    /// where something cannot be recorded: then nothing was computed.
    [[nodiscard]] virtual std::unique_ptr<WorkRecord> record(const std::function<void()>& work);

    /// Whether numbers can get their wider type on the device, so that fewer bytes cross to it.
    [[nodiscard]] virtual bool widens(const TypeChange&) const { return false; }

    /// Device::copyIn() of bytes that are widened there. Only where widens().
    virtual void copyInWidened(const Transfer& transfer, ByteSource source, std::string label);

    /// Nobody needs these bytes any more once what the copy queue waits for is over; a checking
    /// device spoils them then.
    virtual void discard(std::byte*, Bytes, std::string) {}

    /// Gives what the allocator holds and nobody uses back to the device.
    virtual void returnCached() {}

    /// Gives what libraries keep between operators back to the allocator, until they need it again.
    virtual void dropWorkspaces() {}

    /// What a rehearsing device counted.
    [[nodiscard]] virtual std::optional<memory::RehearsalCounts> rehearsal() const { return {}; }

    /// Ordering faults that a checking device found so far, in words.
    [[nodiscard]] virtual std::vector<std::string> hazards() const { return {}; }
};

/// One device: memory, a copy queue with its own thread, events. Called from the run thread; copies
/// and waits are enqueued and happen in the order of the calls. Order across queues exists only
/// through events.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual memory::DeviceInfo info() const = 0;
    [[nodiscard]] virtual memory::DeviceTraits traits() const = 0;
    /// Where tensors of this device live for ATen.
    [[nodiscard]] virtual c10::Device torchDevice() const = 0;

    /// Called on every thread that computes, before its first tensor: a device that counts tensors
    /// by thread starts to.
    virtual void attachThread() {}

    /// Bytes that begin at a multiple of memory::kSlotAlignment. Error{OutOfMemory} with the bytes
    /// asked for.
    [[nodiscard]] virtual std::unique_ptr<Arena> allocate(Bytes bytes) = 0;
    /// Host memory for bytes on their way to this device, pinned where its copies gain from that.
    /// Error{OutOfMemory} with the bytes asked for.
    [[nodiscard]] virtual std::unique_ptr<Arena> allocateStaging(Bytes bytes);

    /// A tensor over device memory that this device gave out; valid while the arena lives.
    [[nodiscard]] virtual at::Tensor view(std::byte* data,
                                          at::IntArrayRef sizes,
                                          at::ScalarType type) = 0;

    /// Enqueues a copy of `bytes` from `source` to device memory. `label` names it in hazards and
    /// time lines.
    virtual void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string label) = 0;
    /// The same from memory of allocateStaging(), which remains unchanged until the event behind
    /// the copy. `prepare` runs first, on the copy thread, and may throw; false: nothing is copied.
    virtual void copyInStaged(const Transfer& transfer,
                              const std::byte* staged,
                              std::function<bool()> prepare,
                              std::string label);

    [[nodiscard]] virtual EventRef markCopy() = 0;
    [[nodiscard]] virtual EventRef markCompute() = 0;
    virtual void copyWaits(const EventRef& event) = 0;
    /// Later compute waits for `event`; rethrows what failed in the copies before it.
    virtual void computeWaits(const EventRef& event) = 0;
    /// The calling thread waits for `event`; rethrows as computeWaits.
    virtual void hostWaits(const EventRef& event) = 0;

    /// The host waits until the device has done all that compute was given, and rethrows what went
    /// wrong there. Nothing to do where compute is done when its call returns.
    virtual void finishCompute() {}

    /// What makes every further call fail, in the runtime's words; empty while the device works.
    [[nodiscard]] virtual std::string failure() const noexcept { return {}; }

    /// Waits until the copy queue is idle; errors that nobody waited for are dropped.
    virtual void drain() noexcept = 0;
    /// What the copy queue worked and what the calls above waited for it, since the device was
    /// opened. Copies alone count as work.
    [[nodiscard]] virtual memory::CopyTimes copyTimes() const = 0;

    /// Bytes that tensors and arenas hold on this device now, from its own allocator.
    [[nodiscard]] virtual Bytes allocated() const = 0;
    /// The most since resetPeak(): at least allocated() at that moment.
    [[nodiscard]] virtual Bytes peakAllocated() const = 0;
    virtual void resetPeak() = 0;
    /// Upper bound on allocated(), or -1 for none; what exceeds it is Error{OutOfMemory}.
    virtual void cap(Bytes bytes) = 0;
    [[nodiscard]] virtual AllocatorState allocatorState() const = 0;

    /// Part of the device, and called as its own functions are.
    [[nodiscard]] virtual DeviceExtras& extras() = 0;
};

/// `values` [rows, ...] in e4m3 times `scales` [rows], both rounded to `type` first.
[[nodiscard]] at::Tensor dequantised(Device& device,
                                     const at::Tensor& values,
                                     const at::Tensor& scales,
                                     DType type);

/// What lies encoded on the device as a new tensor of `type`, [sizes]: in f32, rounded once.
[[nodiscard]] at::Tensor decoded(Device& device,
                                 const HeldBytes& held,
                                 at::IntArrayRef sizes,
                                 DType type);

}  // namespace lowtide::residency
