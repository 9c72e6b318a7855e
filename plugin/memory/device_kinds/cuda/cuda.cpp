#include "plugin/memory/device_kind.hpp"

namespace lowtide::memory::device_kinds {

/// NVIDIA's GPUs.
DeviceKind cuda() {
    return {.name = "cuda",
            .forms = "cuda, cuda:1",
            .most = kMostOfKind,
            .torch = TorchType::Cuda,
            .imitated = Imitated::Cuda,
            .estimatedProfile =
                [] {
                    // A GPU of the middle class on sixteen lanes of PCIe 4; one thread reads the
                    // files of its weights (6.5 GB/s next to an H200).
                    return DeviceProfile{.copyBytesPerSecond = 6e9,
                                         .copyOverhead = 10e-6,
                                         .flopsPerSecond = 4e13,
                                         .leafOverhead = 10e-6,
                                         .pinnedBytesPerSecond = 25e9};
                },
            .numericsText = [](const DeviceInfo& device) { return device.id + " " + device.name; }};
}

}  // namespace lowtide::memory::device_kinds
