#pragma once

#include "plugin/encodings/encoding.hpp"

#include <string>

namespace lowtide::files {
class InputFile;
}

namespace lowtide::memory {
struct Storage;
}

namespace lowtide::residency {

/// Error{Corrupt} names role, key and file where a part of a storage cannot be decoded: a scale
/// that is not finite, say.
void requireSound(const std::string& role,
                  const memory::Storage& storage,
                  const files::InputFile& file,
                  const encodings::StoredPart& stored);

}  // namespace lowtide::residency
