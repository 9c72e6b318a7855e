#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lowtide::files {
class InputFile;
}

namespace lowtide::memory {
struct Storage;
}

namespace lowtide::residency {

/// `raw`: `count` elements of an adapter's storage, as its file has them. A value that is no number
/// would make every picture black, and what it came from could not be told any more.
/// Error{Corrupt} names role, key and file; nothing is looked at where the storage needs no such
/// check.
void requireFinite(const std::string& role,
                   const memory::Storage& storage,
                   const files::InputFile& file,
                   const std::byte* raw,
                   int64_t count);

}  // namespace lowtide::residency
