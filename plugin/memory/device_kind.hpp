#pragma once
// What is true of every device of a kind, a row each.

#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/device_spec.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// LibTorch's type of a device.
enum class TorchType : uint8_t { Cpu, Cuda, PrivateUse1 };

/// What a dry run on shapes counts as. On the CPU tensors take their bytes and kernels hold buffers
/// of their own; the others give multiples of kSlotAlignment. A rehearsal runs the CPU's operators,
/// whose scratch memory is not its own; a CUDA GPU has workspaces from the same allocator.
enum class Imitated : uint8_t { Cpu, Rehearsal, Cuda };

/// The id of the host's memory, which is a device of every run.
inline constexpr const char* kHostId = "cpu";

/// Devices of one kind have an index below this.
inline constexpr int kMostOfKind = 64;

/// What is true of every device of a kind: an entry of deviceKinds(). Residency opens them.
struct DeviceKind {
    std::string name;                  ///< "cuda"
    std::string forms;                 ///< how a user writes one: "cuda, cuda:1"
    int most = 1;                      ///< 1: its devices have no index
    bool firstIsBare = false;          ///< the id of device 0 is the name alone
    bool isRehearsed = false;          ///< a user states its size, and what shall fail
    TorchType torch = TorchType::Cpu;  ///< no two registered kinds have the same
    Imitated imitated = Imitated::Cpu;
    DeviceProfile (*estimatedProfile)() = nullptr;  ///< of one that nobody measured
    /// What of the device decides about bits, for the keys of results.
    std::string (*numericsText)(const DeviceInfo& device) = nullptr;

    [[nodiscard]] std::string idOf(int index) const;
};

/// All kinds that are built, by name.
[[nodiscard]] std::span<const DeviceKind> deviceKinds();
/// nullptr when there is none.
[[nodiscard]] const DeviceKind* findDeviceKind(std::string_view name);
/// Error{InvalidInput} with the forms of those that are built where there is none.
[[nodiscard]] const DeviceKind& deviceKind(std::string_view name);
/// nullptr when no kind that is built has it.
[[nodiscard]] const DeviceKind* kindOfTorch(TorchType type);
/// The forms of all kinds.
[[nodiscard]] std::string deviceForms();

}  // namespace lowtide::memory
