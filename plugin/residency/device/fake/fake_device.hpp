#pragma once
// The fake GPU: its entry point, its copies, and what is registered with ATen.

#include "plugin/base/units.hpp"
#include "plugin/residency/device/device.hpp"

#include <cstdint>

namespace lowtide::residency {

/// The card that is played.
struct FakeSettings {
    int index = 0;  ///< of several
    Bytes capacity = 8 * kGiB;
    Bytes spill = 0;  ///< bytes beyond the capacity that succeed and are counted
    memory::FailingAllocation failing{};
    int64_t lostAt = 0;             ///< the call at which the GPU is lost; 0: none
    uint64_t seed = 0;              ///< of the delays
    Seconds longestDelay = 100e-6;  ///< before each piece of a copy: uniform in [0, longestDelay)
    Bytes copyPiece = 4 * kMiB;     ///< a copy is cut into pieces of this size
    Bytes pinnable = 0;             ///< host memory that a run pins, unless set otherwise
};

/// What was done since the device was opened.
struct FakeCounters {
    int64_t operators = 0;  ///< that went through the fallback
    int64_t copies = 0;
    Bytes toDevice = 0;  ///< by tensor copies, not by copyIn
    Bytes toHost = 0;
    Bytes scratch = 0;  ///< the most of host memory that its operators took besides its tensors
};

/// A device of host memory: its own capacity, copies that take their time, memory that is NaN
/// before it is written, freed or while a copy to it is under way, and a check of every order
/// between copies and operators.
class FakeDevice : public Device {
public:
    [[nodiscard]] virtual FakeCounters counters() const = 0;
};

/// What the library exports under kOpenFakeDevice. GPUs are the process's own: of two devices that
/// are open with one index the later one's capacity holds for both. The caller owns the device.
using OpenFakeDevice = FakeDevice*(const FakeSettings& settings);
inline constexpr const char* kOpenFakeDevice = "lowtideOpenFakeDevice";

/// Registers with LibTorch the operators of the device "fake": the CPU's on the same bytes, and the
/// few that a fallback cannot serve. c10::Error where another library has them.
void registerFakeOperators();

}  // namespace lowtide::residency
