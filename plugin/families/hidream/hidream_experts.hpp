#pragma once

#include "plugin/families/hidream/hidream_config.hpp"
#include "plugin/nn/denoisers/swiglu_feed.hpp"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// A feed-forward layer of several experts: each token goes through the few that a gate chooses for
/// it, weighed by the gate, and through one that all share. Experts that no token was sent to are
/// not leased. Source: Dai et al. 2024, eq. 9 to 11; diffusers 0.42.1 MOEFeedForwardSwiGLU.
struct ExpertFeed {
    SwiGluFeed shared;
    std::vector<SwiGluFeed> experts;
    memory::LeafId gate = 0;
    int64_t active = 1;

    ExpertFeed(NetworkBuilder& builder, const std::string& name, const HiDreamConfig& config);
    /// x [N, T, width], to all experts some thousand tokens at a time at most. The host waits for
    /// the gate. A walk over shapes lets each expert have as many tokens as one can.
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x) const;

private:
    /// Which tokens go where.
    struct Routes {
        at::Tensor order;             ///< int64 [M k]: token * k + choice, by expert
        at::Tensor shares;            ///< [M k, 1] of the gate, by token * k + choice
        std::vector<int64_t> counts;  ///< tokens of each expert
    };

    [[nodiscard]] Routes routesOf(Pass& pass, const at::Tensor& tokens) const;
};

/// The inner width that HiDream-I1 makes of `inner`: two thirds, rounded up to 256.
[[nodiscard]] int64_t hidreamInnerWidth(int64_t inner);

/// The feed-forward layer of a picture's tokens: of experts, where the network has them.
struct PictureFeed {
    std::optional<ExpertFeed> experts;
    std::optional<SwiGluFeed> plain;

    PictureFeed(NetworkBuilder& builder, const std::string& name, const HiDreamConfig& config);

    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x) const {
        return experts ? experts->apply(pass, x) : plain->apply(pass, x);
    }
};

}  // namespace lowtide::models
