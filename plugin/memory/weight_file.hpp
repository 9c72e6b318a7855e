#pragma once

#include "plugin/base/units.hpp"

#include <cstdint>
#include <string>

namespace lowtide::memory {

/// A file that holds masters, with the identity it had when the tree was made.
struct WeightFile {
    std::string path;
    Bytes size = 0;
    int64_t modifiedNanoseconds = 0;
    uint64_t inode = 0;
    bool isLocal = true;  ///< on a file system where it is safe to map it

    bool operator==(const WeightFile&) const = default;
};

}  // namespace lowtide::memory
