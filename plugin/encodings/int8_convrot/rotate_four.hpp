#pragma once

#include "plugin/encodings/anywhere.hpp"

#include <cstdint>

namespace lowtide::encodings {

/// Four numbers by [[1,1,1,-1],[1,1,-1,1],[1,-1,1,1],[-1,1,1,1]], whose Kronecker powers are the
/// regular Hadamard matrices (ConvRot, arXiv 2512.03673). Sums of whole numbers are exact, in
/// whatever order.
LOWTIDE_ANYWHERE void rotateFour(int32_t& a, int32_t& b, int32_t& c, int32_t& d) noexcept {
    const int32_t sum = a + b + c + d;
    const int32_t first = sum - 2 * d;
    const int32_t second = sum - 2 * c;
    const int32_t third = sum - 2 * b;
    d = sum - 2 * a;
    a = first;
    b = second;
    c = third;
}

}  // namespace lowtide::encodings
