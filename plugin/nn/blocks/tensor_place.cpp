#include "plugin/base/error.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

namespace lowtide::models {

Bytes TensorPlace::bytes() const {
    const int64_t elements = elementCount(shape).value_or(0);
    return encoded ? elements / encoded->blockElements * encoded->blockBytes
                   : elements * sizeOf(type);
}

void TensorPlace::takeRows(size_t axis, int64_t first, int64_t count, const std::string& what) {
    shape[axis] = 1;
    const int64_t rowElements = elementCount(shape).value_or(0);
    const int64_t start = first * rowElements;
    if (encoded) {
        const int64_t block = encoded->blockElements;
        if (start % block != 0 || count * rowElements % block != 0) {
            throw Error(ErrorKind::Unsupported,
                        what + ": " + std::to_string(count) + " rows of " +
                            std::to_string(rowElements) + " numbers from row " +
                            std::to_string(first) + " on are no whole blocks of " +
                            std::to_string(block),
                        "choose a file in another encoding");
        }
        encoded->firstElement += start;
        offset += start / block * encoded->blockBytes;
    } else {
        offset += start * sizeOf(type);
    }
    shape[axis] = count;
}

}  // namespace lowtide::models
