#pragma once

#include "plugin/base/units.hpp"

#include <exception>
#include <optional>

namespace lowtide::tensor {

/// The bytes that could not be had, when `error` says that memory is used up: of an allocator of
/// ATen, or std::bad_alloc; 0 when it tells no number. Nothing for every other error.
[[nodiscard]] std::optional<Bytes> refusedBytes(const std::exception& error);

}  // namespace lowtide::tensor
