#include "plugin/families/hidream/hidream_experts.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/modulation.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

/// Inner width of a feed-forward layer, as a multiple of the network's.
constexpr int64_t kFeedFactor = 4;
constexpr int64_t kMostExpertTokens = 2048;

std::vector<SwiGluFeed> expertsOf(NetworkBuilder& builder,
                                  const std::string& name,
                                  const HiDreamConfig& config) {
    std::vector<SwiGluFeed> experts;
    for (int64_t i = 0; i < config.experts; ++i) {
        experts.emplace_back(builder,
                             name + ".experts." + std::to_string(i),
                             config.width(),
                             hidreamInnerWidth(kFeedFactor * config.width()));
    }
    return experts;
}

/// Tokens that one expert has at a time: no more than come to each on average, so that one has as
/// many in every call, and what a call takes does not depend on the gate.
int64_t roundOf(int64_t tokens, int64_t active, int64_t experts) {
    return std::clamp<int64_t>(tokens * active / experts, 1, kMostExpertTokens);
}

/// What a walk lets every expert have of `tokens` that `active` of `experts` get: whole rounds, as
/// many as there are on average, and one at least.
int64_t walkedTokens(int64_t tokens, int64_t active, int64_t experts) {
    const int64_t round = roundOf(tokens, active, experts);
    const int64_t average = tokens * active / experts;
    return std::max<int64_t>(1, (average + round / 2) / round) * round;
}

}  // namespace

int64_t hidreamInnerWidth(int64_t inner) {
    constexpr int64_t kMultiple = 256;
    return (2 * inner / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

ExpertFeed::ExpertFeed(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config)
    : shared(builder,
             name + ".shared_experts",
             config.width(),
             hidreamInnerWidth(kFeedFactor * config.width() / 2)),
      experts(expertsOf(builder, name, config)),
      gate(builder.leaf(name + ".gate.",
                        {{.name = "weight", .shape = {config.experts, config.width()}}})),
      active(config.activeExperts) {}

ExpertFeed::Routes ExpertFeed::routesOf(Pass& pass, const at::Tensor& tokens) const {
    at::Tensor scores;
    {
        const residency::Lease lease = pass.use(gate);
        scores = kernels::linear(tokens.to(lease[0].scalar_type()), lease[0], {})
                     .to(at::kFloat)
                     .softmax(-1);
    }
    const auto [weights, chosen] = scores.topk(active, -1, /*largest=*/true, /*sorted=*/false);
    const at::Tensor flat = chosen.flatten();
    Routes routes{.order = flat.argsort(/*stable=*/true), .shares = weights.reshape({-1, 1})};
    const auto count = static_cast<int64_t>(experts.size());
    if (tokens.is_meta()) {
        routes.counts.assign(experts.size(), walkedTokens(tokens.size(0), active, count));
    } else {
        const at::Tensor numbers = at::arange(count, flat.options()).unsqueeze(1);
        routes.counts = tensor::integers((flat.unsqueeze(0) == numbers).sum(1));
    }
    return routes;
}

at::Tensor ExpertFeed::apply(Pass& pass, const at::Tensor& x) const {
    const at::Tensor tokens = x.flatten(0, 1);
    const Routes routes = routesOf(pass, tokens);
    at::Tensor sum = at::empty_like(tokens);
    forTokens(tokens.size(0), [&](int64_t first, int64_t count) {
        sum.narrow(0, first, count).copy_(shared.apply(pass, tokens.narrow(0, first, count)));
    });
    const int64_t round = roundOf(tokens.size(0), active, static_cast<int64_t>(experts.size()));
    int64_t begin = 0;
    for (size_t expert = 0; expert < experts.size(); ++expert) {
        const int64_t end = begin + routes.counts[expert];
        for (int64_t first = begin; first < end; first += round) {
            const int64_t count = std::min(round, end - first);
            const at::Tensor own = routes.order.narrow(0, tokens.is_meta() ? 0 : first, count);
            const at::Tensor rows = own.div(active, "floor");
            at::Tensor made = experts[expert].apply(pass, kernels::takenRows(tokens, rows));
            made.mul_(kernels::takenRows(routes.shares, own));
            made.add_(kernels::takenRows(sum, rows));
            sum.index_copy_(0, rows, made);
        }
        begin = end;
    }
    return sum.view(x.sizes());
}

PictureFeed::PictureFeed(NetworkBuilder& builder,
                         const std::string& name,
                         const HiDreamConfig& config) {
    if (config.experts > 0) {
        experts.emplace(builder, name, config);
    } else {
        plain.emplace(
            builder, name, config.width(), hidreamInnerWidth(kFeedFactor * config.width()));
    }
}

}  // namespace lowtide::models
