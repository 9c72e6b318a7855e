#pragma once

#include "plugin/tensor/kernels.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace lowtide::tensor {

/// Source pixels below the filter of one target pixel, at most.
[[nodiscard]] int64_t mostTaps(int64_t source, int64_t target, kernels::Resample filter);

/// Tells for each of `target` pixels, in order, the first of `source` pixels below its filter and
/// the weights of it and those that follow; they sum to 1. A shrinking filter is widened by the
/// scale, so that every source pixel counts. Source: Pillow Resample.c, precompute_coeffs.
void forEachTarget(int64_t source,
                   int64_t target,
                   kernels::Resample filter,
                   const std::function<void(int64_t first, std::span<const double> weights)>& take);

}  // namespace lowtide::tensor
