#include "plugin/residency/decoding/decoding_ways.hpp"
#include "plugin/residency/decoding/row_scales.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace lowtide::residency {

namespace {

/// Elements of eight bits times the scale of the tensor or of their row.
at::Tensor scaledBytes(const StoredTensors& stored, at::ScalarType type) {
    at::Tensor values = stored.blocks.view(type).to(at::kFloat);
    scaleRows(stored, values, scalesBeside(stored, 0));
    return values;
}

at::Tensor scaledE4m3(const StoredTensors& stored) {
    return scaledBytes(stored, at::kFloat8_e4m3fn);
}

at::Tensor scaledE5m2(const StoredTensors& stored) {
    return scaledBytes(stored, at::kFloat8_e5m2);
}

at::Tensor scaledInt8(const StoredTensors& stored) {
    return scaledBytes(stored, at::kChar);
}

/// bitsandbytes' scales are rows' largest magnitudes; 1 / 127 is multiplied last.
at::Tensor scaledRowsOfInt8(const StoredTensors& stored) {
    constexpr double kPart = 7.874015718698502e-3;
    return scaledBytes(stored, at::kChar).mul_(kPart);
}

/// Groups of whole numbers rotated, as plugin/encodings/int8_convrot: the sums are exact in any
/// order.
at::Tensor rotatedInt8(const StoredTensors& stored) {
    const int64_t size = stored.tensor->blockElements;
    at::Tensor sums = stored.blocks.view(at::kChar).to(at::kInt);
    for (int64_t step = 1; step < size; step *= 4) {
        const at::Tensor fours = sums.view({-1, 4, step});
        const at::Tensor sum = fours.sum(1, true, at::kInt);
        std::vector<at::Tensor> rotated;
        for (int64_t i = 3; i >= 0; --i) {
            rotated.push_back(sum.sub(fours.narrow(1, i, 1), 2));
        }
        sums = at::cat(rotated, 1).view({-1});
    }
    at::Tensor values = sums.to(at::kFloat);
    const float norm = 1 / std::sqrt(static_cast<float>(size));  // a power of two
    scaleRows(stored, values, scalesBeside(stored, 0).mul(norm));
    return values;
}

}  // namespace

/// As plugin/encodings/f8_e4m3, f8_e5m2, int8, bnb_int8 and int8_convrot.
void addScaledWays(DecodingWays& ways) {
    ways.insert({{"f8_e4m3", scaledE4m3},
                 {"f8_e5m2", scaledE5m2},
                 {"int8", scaledInt8},
                 {"bnb_int8", scaledRowsOfInt8},
                 {"int8_convrot", rotatedInt8}});
}

}  // namespace lowtide::residency
