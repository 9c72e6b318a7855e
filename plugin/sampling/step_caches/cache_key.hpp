#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::sampling {

/// What a value belongs to that a network left in a cache session.
struct CacheKey {
    std::vector<int64_t> sizes;  ///< of the network's input
    at::ScalarType type = at::kFloat;
    c10::Device device = c10::kCPU;
    std::string model;  ///< id of the component tree, in its types and with its changes

    /// For an evaluation over `input`.
    [[nodiscard]] static CacheKey of(const at::Tensor& input, std::string model);
};

/// The first difference in a word ("shape", "dtype", "device", "model"); empty where both are the
/// same.
[[nodiscard]] std::optional<std::string_view> differenceOf(const CacheKey& kept,
                                                           const CacheKey& wanted);

}  // namespace lowtide::sampling
