#include "plugin/memory/device_kind.hpp"

namespace lowtide::memory::device_kinds {

/// GPUs that are played in host memory, by the CPU's operators.
DeviceKind fake() {
    return {.name = "fake",
            .forms = "fake, fake:1, fake:8GiB, fake:1,8GiB",
            .most = 8,
            .firstIsBare = true,
            .isRehearsed = true,
            .torch = TorchType::PrivateUse1,
            .imitated = Imitated::Rehearsal,
            .estimatedProfile =
                [] {
                    // A GPU of the middle class on sixteen lanes of PCIe 4.
                    return DeviceProfile{.copyBytesPerSecond = 25e9,
                                         .copyOverhead = 10e-6,
                                         .flopsPerSecond = 4e13,
                                         .leafOverhead = 10e-6,
                                         .pinnedBytesPerSecond = 25e9};
                },
            .numericsText = [](const DeviceInfo& device) { return device.id; }};
}

}  // namespace lowtide::memory::device_kinds
