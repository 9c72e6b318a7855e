#include "plugin/checkpoints/encoders/token_pair.hpp"

#include "plugin/nn/blocks/pass.hpp"

#include <ATen/ATen.h>

#include <numeric>

namespace lowtide::models {

namespace {

/// int64 [1, T] of a copy.
at::Tensor rowOf(const std::vector<int64_t>& numbers) {
    return at::tensor(numbers, at::TensorOptions(at::kLong)).unsqueeze(0);
}

}  // namespace

at::Tensor PromptTokenPair::rows(Pass& pass, const std::string& suffix) const {
    std::vector<at::Tensor> rows;
    for (const TokenizedPrompt* each : {&positive, &negative}) {
        rows.push_back(rowOf(each->ids));
        pass.record().putNext("tokens" + suffix, rows.back());
        pass.record().putNext("tokens_mask" + suffix, rowOf(each->mask));
    }
    return at::cat(rows);
}

std::vector<int64_t> PromptTokenPair::lengths() const {
    std::vector<int64_t> lengths;
    for (const TokenizedPrompt* each : {&positive, &negative}) {
        lengths.push_back(std::accumulate(each->mask.begin(), each->mask.end(), int64_t{0}));
    }
    return lengths;
}

}  // namespace lowtide::models
