#include "plugin/memory/device_kind.hpp"

namespace lowtide::memory::device_kinds {

/// GPUs that are played in host memory, by the CPU's operators.
DeviceKind fake() {
    return {.name = "fake",
            .forms =
                "fake, fake:1, fake:8GiB, fake:1,8GiB, fake:8GiB,spill=16GiB, "
                "fake:8GiB,fail=100, fake:8GiB,lost=500 or fake:8GiB,fail=KIND:3 or KIND:3-5 "
                "with the kind arena, staging, wire or activation",
            .most = 8,
            .firstIsBare = true,
            .isRehearsed = true,
            .torch = TorchType::PrivateUse1,
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
