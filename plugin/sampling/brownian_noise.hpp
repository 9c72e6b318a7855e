#pragma once
// Noise of one Brownian motion along sigma, however a sampler parts the way.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace lowtide::sampling {

/// One word of numpy's SeedSequence(seed, spawn_key=spawned, pool_size=24).generate_state(1).
/// Source: O'Neill 2015 (seed_seq_fe), as numpy documents it.
[[nodiscard]] uint32_t seedWord(uint64_t seed, std::span<const uint64_t> spawned);

/// A Brownian motion between two levels. Values do not depend on which steps ask for it: increments
/// of parts are drawn as bridges, each with a seed of its own. Source: Kidger et al. 2021
/// (arXiv 2105.13493), the Brownian tree; numbers of torchsde 0.2.6.
class BrownianNoise {
public:
    /// `shape`: of the latents. `highest` is above `lowest`.
    BrownianNoise(uint64_t seed, std::vector<int64_t> shape, double lowest, double highest);

    /// The increment from one level to a lower one over the root of their distance: N(0, 1), f32 on
    /// the CPU.
    [[nodiscard]] at::Tensor between(double from, double to) const;

private:
    struct Node;

    [[nodiscard]] at::Tensor drawn(std::span<const uint64_t> spawned) const;
    [[nodiscard]] at::Tensor increment(const Node& node, double begin, double end) const;

    uint64_t seed_;
    std::vector<int64_t> shape_;
    double lowest_;
    double highest_;
    double length_;
};

}  // namespace lowtide::sampling
