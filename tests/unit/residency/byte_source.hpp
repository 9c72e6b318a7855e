#pragma once

#include "plugin/residency/device/device.hpp"

#include <cstring>
#include <vector>

namespace lowtide::testing {

/// Gives `bytes`, which outlive it.
[[nodiscard]] inline residency::ByteSource sourceOf(const std::vector<std::byte>& bytes) {
    return [&bytes](std::byte* target, Bytes offset, Bytes count) {
        std::memcpy(target, bytes.data() + offset, static_cast<size_t>(count));
        return true;
    };
}

}  // namespace lowtide::testing
