#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lowtide::files {

/// The number that 1 to 8 bytes hold, the lowest byte first.
[[nodiscard]] uint64_t fromLittleEndian(std::string_view bytes) noexcept;
/// The other way: so many bytes, 1 to 8; higher ones are dropped.
[[nodiscard]] std::string toLittleEndian(uint64_t number, int byteCount);

}  // namespace lowtide::files
