#include "plugin/base/error.hpp"
#include "plugin/models/blocks/network_builder.hpp"

namespace lowtide::models {

Bytes TensorPlace::bytes() const {
    const int64_t elements = elementCount(shape).value_or(0);
    return encoded ? elements / encoded->blockElements * encoded->blockBytes
                   : elements * sizeOf(type);
}

void TensorPlace::takeRows(size_t axis, int64_t first, int64_t count) {
    shape[axis] = 1;
    const int64_t rowElements = elementCount(shape).value_or(0);
    if (encoded) {
        const int64_t block = encoded->blockElements;
        if (rowElements % block != 0) {
            throw Error(ErrorKind::Unsupported,
                        "rows of " + std::to_string(rowElements) +
                            " numbers are no whole blocks of " + std::to_string(block),
                        "choose a file in another encoding");
        }
        encoded->firstElement += first * rowElements;
        offset += first * rowElements / block * encoded->blockBytes;
    } else {
        offset += first * rowElements * sizeOf(type);
    }
    shape[axis] = count;
}

}  // namespace lowtide::models
