#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <QString>

namespace lowtide::ui {

/// The device that a person would choose among those that were found.
struct FoundDevice {
    QString id;  ///< "cuda:0", "cpu"; empty: none was found, or not yet
    QString sentence;
    Bytes capacity = 0;
};

/// Of MemoryNow::devices: the card with most memory, else the processor. Rehearsals are no device;
/// null: the module has not answered yet.
[[nodiscard]] FoundDevice foundDevice(const Json& devices);

/// Up to this capacity a device counts as a small one (design, section 7).
inline constexpr Bytes kLowMemoryCapacity = 8 * kGiB;

}  // namespace lowtide::ui
