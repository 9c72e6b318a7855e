#include "plugin/memory/device_kind.hpp"

namespace lowtide::memory::device_kinds {

/// The host itself. What of its processor decides about bits is part of every key.
DeviceKind cpu() {
    return {.name = kHostId,
            .forms = "cpu",
            .torch = TorchType::Cpu,
            .estimatedProfile =
                [] {  // two cores with AVX2; weights are read and converted
                    return DeviceProfile{.copyBytesPerSecond = 2e9,
                                         .copyOverhead = 20e-6,
                                         .flopsPerSecond = 1e11,
                                         .leafOverhead = 50e-6,
                                         .computeOfCopies = 0.5};
                },
            .numericsText = [](const DeviceInfo& device) { return device.id; }};
}

}  // namespace lowtide::memory::device_kinds
