#include "plugin/memory/device_profile.hpp"

namespace lowtide::memory {

DeviceProfile estimatedProfile(std::string_view kind) {
    if (kind == "cpu") {  // two cores with AVX2; weights are read and converted
        return {.copyBytesPerSecond = 2e9,
                .copyOverhead = 20e-6,
                .flopsPerSecond = 1e11,
                .leafOverhead = 50e-6};
    }
    // A card of the middle class on sixteen lanes of PCIe 4.
    return {.copyBytesPerSecond = 25e9,
            .copyOverhead = 10e-6,
            .flopsPerSecond = 4e13,
            .leafOverhead = 10e-6};
}

}  // namespace lowtide::memory
