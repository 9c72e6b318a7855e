#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
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
    std::string model;     ///< the component tree's id
    uint64_t patches = 0;  ///< how often the network's patches changed until then

    /// For an evaluation over `input`.
    [[nodiscard]] static CacheKey of(const at::Tensor& input, std::string model, uint64_t patches);
};

/// The first difference in a word ("shape", "dtype", "device", "model", "patches"); empty where
/// both are the same.
[[nodiscard]] std::optional<std::string_view> differenceOf(const CacheKey& kept,
                                                           const CacheKey& wanted);

}  // namespace lowtide::sampling
