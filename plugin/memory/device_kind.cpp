#include "plugin/memory/device_kind.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::memory {

namespace device_kinds {
DeviceKind cpu();
DeviceKind cuda();
DeviceKind fake();
}  // namespace device_kinds

std::string DeviceKind::idOf(int index) const {
    const bool isBare = most == 1 || (firstIsBare && index == 0);
    return isBare ? name : name + ":" + std::to_string(index);
}

std::span<const DeviceKind> deviceKinds() {
    static const std::vector<DeviceKind> kKinds = [] {
        std::vector<DeviceKind> kinds = {
            device_kinds::cpu(), device_kinds::cuda(), device_kinds::fake()};
        std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
            return a.name < b.name;
        });
        return kinds;
    }();
    return kKinds;
}

const DeviceKind* findDeviceKind(std::string_view name) {
    const auto all = deviceKinds();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& kind) { return kind.name == name; });
    return found == all.end() ? nullptr : &*found;
}

const DeviceKind& deviceKind(std::string_view name) {
    const DeviceKind* found = findDeviceKind(name);
    if (!found) {
        throw Error(ErrorKind::InvalidInput,
                    message("device {}: there is no such kind of device", quotedName(name)),
                    message("write {}", deviceForms()),
                    "device");
    }
    return *found;
}

const DeviceKind* kindOfTorch(TorchType type) {
    const auto all = deviceKinds();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& kind) { return kind.torch == type; });
    return found == all.end() ? nullptr : &*found;
}

std::string deviceForms() {
    std::string forms;
    for (const DeviceKind& kind : deviceKinds()) {
        forms += (forms.empty() ? "" : ", ") + kind.forms;
    }
    return forms;
}

}  // namespace lowtide::memory

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

/// NVIDIA's GPUs.
DeviceKind cuda() {
    return {.name = "cuda",
            .forms = "cuda, cuda:1",
            .most = kMostOfKind,
            .torch = TorchType::Cuda,
            .imitated = Imitated::Cuda,
            .estimatedProfile =
                [] {
                    // A GPU of the middle class on PCIe 4 x16; one thread reads the
                    // files of its weights (6.5 GB/s next to an H200).
                    return DeviceProfile{.copyBytesPerSecond = 6e9,
                                         .copyOverhead = 10e-6,
                                         .flopsPerSecond = 4e13,
                                         .leafOverhead = 10e-6,
                                         .pinnedBytesPerSecond = 25e9};
                },
            .numericsText = [](const DeviceInfo& device) { return device.id + " " + device.name; }};
}

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
                    // A GPU of the middle class on PCIe 4 x16.
                    return DeviceProfile{.copyBytesPerSecond = 25e9,
                                         .copyOverhead = 10e-6,
                                         .flopsPerSecond = 4e13,
                                         .leafOverhead = 10e-6,
                                         .pinnedBytesPerSecond = 25e9};
                },
            .numericsText = [](const DeviceInfo& device) { return device.id; }};
}

}  // namespace lowtide::memory::device_kinds
