#include "plugin/models/calibration/calibration.hpp"

#include "plugin/models/calibration/compute_speeds.hpp"
#include "plugin/models/calibration/copy_speeds.hpp"

namespace lowtide::models {

memory::DeviceProfile measureDevice(residency::Residency& residency,
                                    const memory::DeviceSpec& device,
                                    const std::string& scratchFolder) {
    const ScratchWeights scratch(scratchFolder);
    const CopySpeeds copies = measureCopies(residency, device, scratch);
    const ComputeSpeeds compute = measureCompute(residency, device, scratch);
    return {.copyBytesPerSecond = copies.bytesPerSecond,
            .copyOverhead = copies.overhead,
            .flopsPerSecond = compute.flopsPerSecond,
            .leafOverhead = compute.leafOverhead,
            .convertedBytesPerSecond = copies.convertedBytesPerSecond,
            .mappedBytesPerSecond = copies.mappedBytesPerSecond,
            .pinnedBytesPerSecond = copies.pinnedBytesPerSecond};
}

}  // namespace lowtide::models
