#pragma once

#include "plugin/base/json.hpp"
#include "plugin/memory/device_spec.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// What happens to a component at its last use in the run: off the device, off the device and
/// unmapped, or kept.
enum class After : uint8_t { Evict, Drop, Keep };

/// How one node may use memory (design 6). `name` is a planner's name; the planners are a registry,
/// not an enum.
struct Policy {
    std::string name = "auto";
    bool stream = false;
    int blocksPerGroup = 1;
    std::optional<Bytes> budget;
    After after = After::Evict;
    std::optional<Bytes> pinCap;
    std::optional<DeviceSpec> device;  ///< empty: the run's device
    std::map<std::string, Policy> components;

    bool operator==(const Policy&) const = default;
    /// The policy of one component: its own entry, else this one without entries.
    [[nodiscard]] Policy forComponent(const std::string& role) const;
};

/// Text form: `none|model|sequential|block[:N]|leaf|auto` then `+stream`, `,budget=SIZE`,
/// `,after=evict|drop|keep`,
/// `,pin=SIZE`, `@device`. Error{InvalidInput} names what was not understood and lists the forms.
[[nodiscard]] Policy parsePolicy(std::string_view text);
[[nodiscard]] std::string toText(const Policy& policy);

/// JSON form: {"policy", "stream", "blocks_per_group", "budget", "after", "pin_cap", "device",
/// "components"} or a text.
[[nodiscard]] Policy policyFromJson(const Json& json, const std::string& what);
[[nodiscard]] Json toJson(const Policy& policy);

}  // namespace lowtide::memory
