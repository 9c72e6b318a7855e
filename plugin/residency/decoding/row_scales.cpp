#include "plugin/residency/decoding/row_scales.hpp"

#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::residency {

at::Tensor scalesBeside(const StoredTensors& stored, size_t index) {
    const memory::Companion& scales = stored.tensor->companions[index];
    return stored.companions[index].view(scalarTypeOf(scales.type)).to(at::kFloat);
}

void scaleRows(const StoredTensors& stored, const at::Tensor& values, const at::Tensor& scales) {
    at::Tensor flat = values.view({-1});
    if (stored.tensor->companions.front().elementCount == 1) {
        flat.mul_(scales);
        return;
    }
    const int64_t columns = stored.tensor->columns;
    const int64_t count = stored.part.count;
    int64_t row = 0;
    int64_t done = 0;
    while (done < count) {
        const int64_t inRow = (stored.part.first + done) % columns;
        const int64_t rows = inRow == 0 ? (count - done) / columns : 0;
        if (rows > 0) {
            flat.narrow(0, done, rows * columns)
                .view({rows, columns})
                .mul_(scales.narrow(0, row, rows).view({rows, 1}));
            row += rows;
            done += rows * columns;
        } else {  // a part of a row
            const int64_t elements = std::min(columns - inRow, count - done);
            flat.narrow(0, done, elements).mul_(scales.narrow(0, row, 1));
            ++row;
            done += elements;
        }
    }
}

}  // namespace lowtide::residency
