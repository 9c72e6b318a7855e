#include "plugin/nn/controls/hint_embedding.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <string>

namespace lowtide::models {

namespace {

constexpr const char* kHintPrefix = "controlnet_cond_embedding.";
constexpr int64_t kHintPictureChannels = 3;

std::vector<Conv2d> makeHintBlocks(NetworkBuilder& builder, const std::vector<int64_t>& widths) {
    std::vector<Conv2d> blocks;
    const auto add = [&](int64_t in, int64_t out, int64_t stride) {
        const std::string name =
            std::string(kHintPrefix) + "blocks." + std::to_string(blocks.size());
        blocks.emplace_back(builder, name, ConvSizes{.in = in, .out = out, .stride = stride});
    };
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
        add(widths[i], widths[i], 1);
        add(widths[i], widths[i + 1], 2);
    }
    return blocks;
}

}  // namespace

HintEmbedding::HintEmbedding(NetworkBuilder& builder,
                             const std::vector<int64_t>& widths,
                             int64_t out)
    : input(builder,
            std::string(kHintPrefix) + "conv_in",
            {.in = kHintPictureChannels, .out = widths.front()}),
      blocks(makeHintBlocks(builder, widths)),
      output(builder, std::string(kHintPrefix) + "conv_out", {.in = widths.back(), .out = out}) {}

at::Tensor HintEmbedding::apply(Pass& pass, const at::Tensor& hint) const {
    namespace kernels = tensor::kernels;
    at::Tensor hidden = kernels::silu(input.apply(pass, hint));
    for (const Conv2d& block : blocks) {
        hidden = kernels::silu(block.apply(pass, hidden));
    }
    return output.apply(pass, hidden);
}

}  // namespace lowtide::models
