#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// How fast a device is, for predicted times: measured on this machine, or a guess by its kind.
struct DeviceProfile {
    double copyBytesPerSecond = 0;  ///< from files that the system holds in memory to the device
    Seconds copyOverhead = 0;       ///< of each copy
    double flopsPerSecond = 0;      ///< of large matrix products and convolutions
    Seconds leafOverhead = 0;       ///< of each use of a leaf: kernel starts, small operators
    /// Of weights whose type changes on the way, in bytes on the device; 0: as the others.
    double convertedBytesPerSecond = 0;
    /// Of weights that are read where their file is mapped; 0: as copies.
    double mappedBytesPerSecond = 0;
    /// Part of compute that a copy takes while it runs: on a CPU one of its threads, on GPUs none.
    double computeOfCopies = 0;
    double f16FlopsPerSecond = 0;     ///< where it computes in f16; 0: as in f32
    double bf16FlopsPerSecond = 0;    ///< likewise
    double memoryBytesPerSecond = 0;  ///< at which a use reads its weights; 0: no bound is known
    double pinnedBytesPerSecond = 0;  ///< from pinned host memory; 0: as from files
    std::string measuredOn{};         ///< the day, "2026-11-21"; empty: a guess

    bool operator==(const DeviceProfile&) const = default;

    [[nodiscard]] bool isEstimated() const { return measuredOn.empty(); }

    /// Of one copy of `bytes`, of which `converted` have another type in their file.
    [[nodiscard]] Seconds copySeconds(Bytes bytes, Bytes converted) const;
    /// Of one copy of `bytes` that lie in pinned memory as they cross.
    [[nodiscard]] Seconds pinnedSeconds(Bytes bytes) const;
    /// Until `bytes` of a mapped file can be read.
    [[nodiscard]] Seconds mappedSeconds(Bytes bytes) const;
    /// Of one use of a leaf: `flops` in the type `compute` with `weights` bytes.
    [[nodiscard]] Seconds leafSeconds(double flops, DType compute, Bytes weights) const;

    /// Of adapters' sums, in f32.
    [[nodiscard]] Seconds deltaSeconds(double flops) const { return flops / flopsPerSecond; }

    /// With compute that takes `pace` times as long.
    [[nodiscard]] DeviceProfile paced(double pace) const;
};

/// A guess for devices that nobody measured, by kind ("cpu", "fake", "cuda").
[[nodiscard]] DeviceProfile estimatedProfile(std::string_view kind);

/// What a measurement depends on: it holds only where all of this is the same.
struct ProfileKey {
    std::string device;     ///< its id
    std::string name;       ///< of the device
    std::string processor;  ///< of the machine
    std::string numerics;   ///< build of the tensor library, threads
    std::string version;    ///< of this module

    bool operator==(const ProfileKey&) const = default;
};

/// A profile and what it depends on.
struct MeasuredProfile {
    ProfileKey key;
    DeviceProfile profile;
};

[[nodiscard]] Json toJson(const DeviceProfile& profile);
[[nodiscard]] Json toJson(const MeasuredProfile& measured);
/// The reverse of toJson(). `what` names the source in messages. Error{Corrupt} for what is
/// missing, no number, or no speed that a device can have.
[[nodiscard]] MeasuredProfile readMeasuredProfile(const Json& json, const std::string& what);

}  // namespace lowtide::memory
