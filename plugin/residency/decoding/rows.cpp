#include "plugin/residency/decoding/rows.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::residency::decoding {

void multiplyRows(const at::Tensor& numbers,
                  int64_t first,
                  int64_t columns,
                  const at::Tensor& scales) {
    if (scales.numel() == 1) {
        numbers.mul_(scales);
        return;
    }
    const int64_t end = first + numbers.numel();
    for (int64_t place = first; place < end;) {  // a row that is cut off, whole rows, another one
        const int64_t row = place / columns;
        const bool isCut = place % columns != 0 || end - place < columns;
        const int64_t rows = isCut ? 1 : (end - place) / columns;
        const int64_t count = std::min((row + rows) * columns, end) - place;
        numbers.narrow(0, place - first, count)
            .view({rows, count / rows})
            .mul_(scales.narrow(0, row - first / columns, rows).unsqueeze(1));
        place += count;
    }
}

}  // namespace lowtide::residency::decoding
