#include "plugin/memory/device_kind.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::memory {

namespace device_kinds {
#define LOWTIDE_ENTRY(name) DeviceKind name();
#include "device_kind_list.inc"
#undef LOWTIDE_ENTRY
}  // namespace device_kinds

std::string DeviceKind::idOf(int index) const {
    const bool isBare = most == 1 || (firstIsBare && index == 0);
    return isBare ? name : name + ":" + std::to_string(index);
}

std::span<const DeviceKind> deviceKinds() {
    static const std::vector<DeviceKind> kKinds = [] {
        std::vector<DeviceKind> kinds = {
#define LOWTIDE_ENTRY(name) device_kinds::name(),
#include "device_kind_list.inc"
#undef LOWTIDE_ENTRY
        };
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
                    "device " + quotedName(name) + ": there is no such kind of device",
                    "write " + deviceForms(),
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
