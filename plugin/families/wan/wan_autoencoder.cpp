#include "plugin/families/wan/wan_autoencoder.hpp"

#include "plugin/nn/blocks/forward.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

constexpr uint32_t kFirstChunk = 0;  ///< patterns of forwards
constexpr uint32_t kLaterChunk = 1;

FrameHistory historyOf(const HistorySlots& slots) {
    return {.frames = std::vector<FrameHistory::Frames>(slots.count)};
}

/// Behind the first chunk, layers that halve or double the frames work too: another pattern.
memory::ForwardHint hintOf(int64_t chunk, int64_t count) {
    return {.pattern = chunk > 0 ? kLaterChunk : kFirstChunk,
            .next = chunk + 1 < count ? kLaterChunk : kFirstChunk};
}

}  // namespace

WanAutoencoder::Layers::Layers(NetworkBuilder& builder, const WanAutoencoderConfig& config)
    : encoder(builder, config),
      quant(builder,
            "quant_conv",
            2 * config.latentChannels,
            2 * config.latentChannels,
            /*hasFrameAxis=*/true),
      postQuant(builder,
                "post_quant_conv",
                config.latentChannels,
                config.latentChannels,
                /*hasFrameAxis=*/true),
      decoder(builder, config) {}

WanAutoencoder::WanAutoencoder(const WanAutoencoderConfig& config,
                               const WeightMap& weights,
                               std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "AutoencoderKLWan", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

at::Tensor WanAutoencoder::decode(Forward& forward, const at::Tensor& latents) const {
    FrameHistory history = historyOf(layers_->decoder.slots);
    const int64_t count = latents.size(2);
    const int64_t all = (count - 1) * config_.frameDownsampling() + 1;
    at::Tensor frames;
    int64_t done = 0;
    for (int64_t i = 0; i < count; ++i) {
        forward.begin(hintOf(i, count));
        const at::Tensor latent = latents.select(2, i).contiguous();
        const at::Tensor inner = layers_->postQuant.apply(forward, forward.toCompute(latent));
        const at::Tensor chunk = layers_->decoder.apply(forward, inner, history);
        if (!frames.defined()) {
            std::vector<int64_t> sizes = chunk.sizes().vec();
            sizes.front() = all;
            frames = at::empty(sizes, chunk.options().dtype(at::kFloat));
        }
        frames.narrow(0, done, chunk.size(0)).copy_(chunk);
        done += chunk.size(0);
    }
    return frames.clamp_(-1, 1);
}

at::Tensor WanAutoencoder::encode(Forward& forward, const at::Tensor& frames) const {
    FrameHistory history = historyOf(layers_->encoder.slots);
    const int64_t step = config_.frameDownsampling();
    const int64_t count = 1 + (frames.size(0) - 1) / step;
    std::vector<at::Tensor> chunks;
    for (int64_t i = 0; i < count; ++i) {
        forward.begin(hintOf(i, count));
        const int64_t first = i == 0 ? 0 : 1 + (i - 1) * step;
        const at::Tensor chunk = forward.toCompute(frames.narrow(0, first, i == 0 ? 1 : step));
        chunks.push_back(
            layers_->quant.apply(forward, layers_->encoder.apply(forward, chunk, history))
                .to(at::kFloat));
    }
    return at::stack(chunks, 2).contiguous();
}

}  // namespace lowtide::models
