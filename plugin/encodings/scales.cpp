#include "plugin/encodings/scales.hpp"

#include "plugin/base/error.hpp"

#include <cmath>

namespace lowtide::encodings {

namespace {

struct Rows {
    int64_t first = 0;
    int64_t count = 0;
};

Rows rowsOf(const memory::Encoded& tensor, Part part) {
    const int64_t first = part.first / tensor.columns;
    const int64_t end = (part.first + part.count + tensor.columns - 1) / tensor.columns;
    return {first, end - first};
}

bool isOfTensor(const memory::Companion& scales) {
    return scales.elementCount == 1;
}

}  // namespace

ByteRange rowScaleRange(const memory::Encoded& tensor, size_t companion, Part part) {
    const memory::Companion& scales = tensor.companions[companion];
    const Bytes size = sizeOf(scales.type);
    if (isOfTensor(scales)) {
        return {0, size};
    }
    const Rows rows = rowsOf(tensor, part);
    return {rows.first * size, rows.count * size};
}

std::vector<float> rowScales(const StoredPart& stored, size_t companion) {
    const memory::Companion& scales = stored.tensor->companions[companion];
    LOWTIDE_ASSERT(scales.type == DType::F32 || scales.type == DType::F16 ||
                   scales.type == DType::BF16);
    const std::byte* bytes = stored.companions[companion].data();
    std::vector<float> values(static_cast<size_t>(rowsOf(*stored.tensor, stored.part).count));
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = scaleAt(bytes, scales.type, isOfTensor(scales) ? 0 : static_cast<int64_t>(i));
    }
    return values;
}

std::optional<std::string> rowScaleFault(const StoredPart& stored) {
    const int64_t firstRow = rowsOf(*stored.tensor, stored.part).first;
    const std::vector<float> scales = rowScales(stored, 0);
    for (size_t i = 0; i < scales.size(); ++i) {
        if (!std::isfinite(scales[i]) || scales[i] <= 0) {
            const std::string which =
                isOfTensor(stored.tensor->companions[0])
                    ? ""
                    : " of row " + std::to_string(firstRow + static_cast<int64_t>(i));
            return "the scale" + which + " is " + std::to_string(scales[i]) +
                   ", where a positive number belongs";
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::encodings
