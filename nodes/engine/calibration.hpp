#pragma once
// Measures a device for the plan's times: copies of zeros through the engine, forwards of a small
// UNet.

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/device_spec.hpp"

#include <memory>
#include <string>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::nodes {

/// A file of zeros that stands for weights while a device is measured, removed with the object. It
/// was just written, so the system holds it in memory and no disk is measured.
class ScratchWeights {
public:
    static constexpr Bytes kBytes = 32 * kMiB;  ///< more than the caches of a core hold

    /// Error{InvalidInput} when `folder` cannot be written, Error{Device} when its disk is full.
    explicit ScratchWeights(const std::string& folder);
    ~ScratchWeights();
    ScratchWeights(const ScratchWeights&) = delete;
    ScratchWeights& operator=(const ScratchWeights&) = delete;

    [[nodiscard]] const memory::WeightFile& file() const { return file_; }

private:
    memory::WeightFile file_;
};

/// A component that is nothing but copies.
struct CopiedWeights {
    std::string role;
    int64_t leaves = 1;
    int64_t elements = 1;  ///< of each leaf's one weight, which is f32 on the device
    DType fileType = DType::F32;
    bool mayBeMapped = false;  ///< devices that use mapped weights in place do
};

/// Its leaves lie one behind the other in the file, and begin again where it ends.
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> treeOf(const CopiedWeights& weights,
                                                                  const ScratchWeights& scratch);

/// How weights come to a device, in bytes that arrive there.
struct CopySpeeds {
    double bytesPerSecond = 0;           ///< as they are
    double convertedBytesPerSecond = 0;  ///< f16 in the file, f32 on the device
    double mappedBytesPerSecond = 0;     ///< read where the file is mapped; 0: this device does not
    double pinnedBytesPerSecond = 0;     ///< from pinned memory; 0: there is too little of it
    Seconds overhead = 0;                ///< of each copy
};

/// From a file that the system holds in memory. Error{OutOfMemory} when the device has no memory
/// for a few megabytes.
[[nodiscard]] CopySpeeds measureCopies(residency::Residency& residency,
                                       const memory::DeviceSpec& device,
                                       const ScratchWeights& scratch);

/// Measures how fast a device copies and computes, in a few seconds: a small component of zeros
/// streams through the engine, a small UNet runs on two sizes of image, both several times. The
/// caller states the day.
/// Errors: InvalidInput when `scratchFolder` cannot be written, OutOfMemory when the device is too
/// small. Run thread, no other run at work, the device is open.
[[nodiscard]] memory::DeviceProfile measureDevice(residency::Residency& residency,
                                                  const memory::DeviceSpec& device,
                                                  const std::string& scratchFolder);

}  // namespace lowtide::nodes
