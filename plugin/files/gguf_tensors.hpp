#pragma once
// The list of tensors in a header, and what reading it shares with reading the keys.

#include "plugin/files/gguf.hpp"
#include "plugin/files/piece_cursor.hpp"

#include <string>
#include <vector>

namespace lowtide::files {

/// Error{Corrupt} when the rest of the file has no room for `count` entries ("keys") of
/// `leastBytes`.
void requireRoom(const PieceCursor& cursor,
                 uint64_t count,
                 uint64_t leastBytes,
                 const char* entries);

/// A key or a name, as `what` says ("key"). Error{Corrupt} unless it is UTF-8 and not too long.
[[nodiscard]] std::string takeName(PieceCursor& cursor, size_t mostBytes, const char* what);

/// Takes `count` tensors; their data begins behind the list. Errors: as readGgufHeader().
[[nodiscard]] std::vector<GgufTensor> takeTensors(PieceCursor& cursor,
                                                  uint64_t count,
                                                  Bytes alignment);

}  // namespace lowtide::files
