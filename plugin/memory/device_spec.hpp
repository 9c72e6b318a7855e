#pragma once
// Devices as a user writes them, and what a run may use of each.

#include "plugin/base/units.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// Alignment of every slot on a device: that of the caching allocators, so kernels see the same
/// class of pointer.
inline constexpr Bytes kSlotAlignment = 512;

/// Host memory through which weights of another type than the file's are read, for each device.
inline constexpr Bytes kConversionScratch = kMiB;

/// What an allocation of a rehearsing device is for.
enum class AllocationKind : uint8_t {
    Arena,      ///< weights that move, on the GPU
    Staging,    ///< host memory for bytes on their way to the GPU
    Wire,       ///< a driver's memory for a tensor that crosses between host and GPU
    Activation  ///< any other tensor on the GPU
};
inline constexpr size_t kAllocationKindCount = 4;
[[nodiscard]] std::string_view nameOf(AllocationKind kind) noexcept;

/// The allocations of a kind that are to fail, counted from the opening of the device.
struct FailingAllocation {
    std::optional<AllocationKind> kind;  ///< empty: arenas and activations, counted together
    int64_t number = 0;                  ///< 1 is the first; 0: none fails
    int64_t last = 0;                    ///< of several in a row; 0: that one alone

    bool operator==(const FailingAllocation&) const = default;
};

/// A device as a user writes it: "cpu", "cuda", "cuda:1", "fake", "fake:8GiB",
/// "fake:8GiB,spill=16GiB", "fake:8GiB,fail=100", "fake:8GiB,fail=arena:3-5", "fake:8GiB,lost=500".
struct DeviceSpec {
    std::string kind = "cpu";
    int index = 0;
    std::optional<Bytes> capacity;  ///< fake only
    std::optional<Bytes> spill;     ///< fake only: bytes beyond the card that succeed slowly
    std::optional<FailingAllocation> failAt;  ///< fake only
    std::optional<int64_t> lostAt;  ///< fake only: the call, 1 the first, at which it is lost

    bool operator==(const DeviceSpec&) const = default;
    /// Kind and index, the identity of an opened device: "cpu", "cuda:0", "fake".
    [[nodiscard]] std::string id() const;
};

/// Error{InvalidInput} with the accepted forms when `text` is none of them.
[[nodiscard]] DeviceSpec parseDeviceSpec(std::string_view text);
[[nodiscard]] std::string toText(const DeviceSpec& spec);

/// What a device states about itself when it is opened.
struct DeviceInfo {
    std::string id;
    std::string kind;
    std::string name;
    Bytes capacity = 0;
    Bytes free = 0;
};

/// How a device holds components: the CPU uses weights in place where the file's type is the
/// compute type.
struct DeviceTraits {
    bool usesWeightsInPlace = false;
    Bytes capacity = 0;
    bool isRehearsal = false;  ///< plays a GPU: its speeds are stated, not measured
    bool replays = false;      ///< does the work of a forward again from its record (a CUDA graph)
    Bytes staging = 0;         ///< host memory that copies to it take while a run uses it
    Bytes workspace = 0;       ///< on it, that its libraries keep while a node computes
    /// On it, what the allocator may hold in pieces that fit nothing: a plan leaves it free.
    Bytes slack = 0;
    bool decodesAtOnce = false;  ///< encoded weights, without memory beyond the numbers
    /// Host memory that a run pins for what streams to it, unless set otherwise.
    Bytes pinnable = 0;
};

/// What a run may use of its devices, as a user states it: "6GiB" of the run's own,
/// "cuda:0=20GiB,cpu=8GiB" of each by name, or both: "6GiB,cpu=8GiB".
struct MemoryBudget {
    std::optional<Bytes> main{};             ///< of the run's device
    std::map<std::string, Bytes> devices{};  ///< by id, before `main`

    bool operator==(const MemoryBudget&) const = default;

    /// Empty where nothing is stated about the device. `isMain`: it is the run's own.
    [[nodiscard]] std::optional<Bytes> of(const DeviceSpec& device, bool isMain) const;
};

/// Error{InvalidInput} with the accepted forms: no size, no device, one that is named twice.
[[nodiscard]] MemoryBudget parseMemoryBudget(std::string_view text);
[[nodiscard]] bool isMemoryBudget(std::string_view text);
/// Sizes in bytes.
[[nodiscard]] std::string toText(const MemoryBudget& budget);
/// `stated` with `size` for the run's device, whose id is `main`; empty: nothing is stated about
/// it. What it states about others is left as it is written.
[[nodiscard]] std::string withMain(std::string_view stated,
                                   std::string_view main,
                                   std::string_view size);

}  // namespace lowtide::memory
