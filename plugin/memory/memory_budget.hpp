#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/device_spec.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// What a run may use of its devices, as a user states it: "6GiB" of the run's own,
/// "cuda:0=20GiB,cpu=8GiB" of each by name, or both: "6GiB,cpu=8GiB".
struct MemoryBudget {
    std::optional<Bytes> main{};             ///< of the run's device
    std::map<std::string, Bytes> devices{};  ///< by id, before `main`

    bool operator==(const MemoryBudget&) const = default;

    /// Empty where nothing is said of the device. `isMain`: it is the run's own.
    [[nodiscard]] std::optional<Bytes> of(const DeviceSpec& device, bool isMain) const;
};

/// Error{InvalidInput} with the accepted forms: no size, no device, one that is named twice.
[[nodiscard]] MemoryBudget parseMemoryBudget(std::string_view text);
[[nodiscard]] bool isMemoryBudget(std::string_view text);
/// Sizes in bytes.
[[nodiscard]] std::string toText(const MemoryBudget& budget);
/// `stated` with `size` for the run's device, whose id is `main`; empty: nothing is said of it.
/// What it says of others stays as it is written.
[[nodiscard]] std::string withMain(std::string_view stated,
                                   std::string_view main,
                                   std::string_view size);

}  // namespace lowtide::memory
