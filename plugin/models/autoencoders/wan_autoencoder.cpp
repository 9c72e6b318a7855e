#include "plugin/models/autoencoders/wan_autoencoder.hpp"

#include "plugin/models/blocks/pass.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

FrameHistory historyOf(const HistoryPlaces& places) {
    return {.frames = std::vector<FrameHistory::Frames>(places.count)};
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

at::Tensor WanAutoencoder::decode(Pass& pass, const at::Tensor& latents) const {
    FrameHistory history = historyOf(layers_->decoder.places);
    const int64_t count = latents.size(2);
    const int64_t all = (count - 1) * config_.frameDownsampling() + 1;
    at::Tensor frames;
    int64_t done = 0;
    for (int64_t i = 0; i < count; ++i) {
        pass.begin();
        const at::Tensor latent = latents.select(2, i).contiguous();
        const at::Tensor inner = layers_->postQuant.apply(pass, pass.toCompute(latent));
        const at::Tensor chunk = layers_->decoder.apply(pass, inner, history);
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

at::Tensor WanAutoencoder::encode(Pass& pass, const at::Tensor& frames) const {
    FrameHistory history = historyOf(layers_->encoder.places);
    const int64_t step = config_.frameDownsampling();
    std::vector<at::Tensor> chunks;
    for (int64_t first = 0; first < frames.size(0); first += first == 0 ? 1 : step) {
        const int64_t count = first == 0 ? 1 : step;
        if (first + count > frames.size(0)) {
            break;
        }
        pass.begin();
        const at::Tensor chunk = pass.toCompute(frames.narrow(0, first, count));
        chunks.push_back(layers_->quant.apply(pass, layers_->encoder.apply(pass, chunk, history))
                             .to(at::kFloat));
    }
    return at::stack(chunks, 2).contiguous();
}

}  // namespace lowtide::models
