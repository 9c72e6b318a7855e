#pragma once

#include "plugin/base/units.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// A device as a person writes it: "cpu", "cuda", "cuda:1", "fake", "fake:8GiB",
/// "fake:8GiB,spill=16GiB", "fake:8GiB,fail=100".
struct DeviceSpec {
    std::string kind = "cpu";
    int index = 0;
    std::optional<Bytes> capacity;  ///< fake only
    std::optional<Bytes> spill;     ///< fake only: bytes beyond the card that succeed slowly
    std::optional<int64_t> failAt;  ///< fake only: the allocation of this number fails, once

    bool operator==(const DeviceSpec&) const = default;
    /// Kind and index, the identity of an opened device: "cpu", "cuda:0", "fake".
    [[nodiscard]] std::string id() const;
};

/// Error{InvalidInput} with the accepted forms when `text` is none of them.
[[nodiscard]] DeviceSpec parseDeviceSpec(std::string_view text);
[[nodiscard]] std::string toText(const DeviceSpec& spec);

/// What a device says of itself when it is opened.
struct DeviceInfo {
    std::string id;
    std::string kind;
    std::string name;
    Bytes capacity = 0;
    Bytes free = 0;
};

/// How a device holds components: the CPU uses weights in place where the file's type is the
/// compute type.
struct DeviceTraits {
    bool usesWeightsInPlace = false;
    Bytes capacity = 0;
    bool isRehearsal = false;  ///< plays a card: its speeds are stated, not measured
};

}  // namespace lowtide::memory
