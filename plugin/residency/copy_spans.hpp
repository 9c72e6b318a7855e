#pragma once

#include "plugin/memory/layout.hpp"
#include "plugin/residency/device/device.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::residency {

/// How a storage crosses to its device.
struct StorageCrossing {
    Bytes bytes = 0;                      ///< that cross
    std::optional<TypeChange> widened{};  ///< what the device makes of them
};

/// Storages of a group that cross in one copy, one behind the other as they lie on the device.
struct CopySpan {
    struct Part {
        memory::StorageId storage = 0;
        Bytes offset = 0;  ///< among the bytes that cross
        Bytes bytes = 0;   ///< that cross

        bool operator==(const Part&) const = default;
    };

    std::vector<Part> parts;
    Bytes target = 0;  ///< in the group
    Bytes bytes = 0;   ///< that cross, what lies between parts among them
    std::optional<TypeChange> widened{};

    bool operator==(const CopySpan&) const = default;
};

/// The copies of a group: one, unless some of it is widened on the device and some is not. A
/// storage of which no bytes cross is in none, and no copy goes over its slot.
[[nodiscard]] std::vector<CopySpan> copySpans(
    const memory::Group& group, const std::function<StorageCrossing(memory::StorageId)>& crossing);

/// The bytes of `span`; `sources` has those of each part. What lies between parts is not written.
[[nodiscard]] ByteSource joinedSource(const CopySpan& span, std::vector<ByteSource> sources);

}  // namespace lowtide::residency
