#include "plugin/nn/autoencoders/autoencoder_kl.hpp"

#include "plugin/nn/blocks/pass.hpp"

namespace lowtide::models {

namespace {

std::optional<Conv2d> makeQuant(NetworkBuilder& builder,
                                const std::string& name,
                                int64_t channels,
                                bool wanted) {
    if (!wanted) {
        return std::nullopt;
    }
    return Conv2d(builder, name, {.in = channels, .out = channels, .kernel = 1, .padding = 0});
}

}  // namespace

AutoencoderKL::Layers::Layers(NetworkBuilder& builder, const AutoencoderConfig& config)
    : encoder(builder, config),
      quant(makeQuant(builder, "quant_conv", 2 * config.latentChannels, config.quantConv)),
      postQuant(makeQuant(builder, "post_quant_conv", config.latentChannels, config.postQuantConv)),
      decoder(builder, config) {}

AutoencoderKL::AutoencoderKL(const AutoencoderConfig& config,
                             const WeightMap& weights,
                             std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "AutoencoderKL", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

at::Tensor AutoencoderKL::decode(Pass& pass, const at::Tensor& latents) const {
    pass.begin();
    const at::Tensor inner = pass.toCompute(latents);
    return layers_->decoder
        .apply(pass, layers_->postQuant ? layers_->postQuant->apply(pass, inner) : inner)
        .to(at::kFloat);
}

at::Tensor AutoencoderKL::encode(Pass& pass, const at::Tensor& pixels) const {
    pass.begin();
    const at::Tensor moments = layers_->encoder.apply(pass, pass.toCompute(pixels));
    return (layers_->quant ? layers_->quant->apply(pass, moments).contiguous() : moments)
        .to(at::kFloat);
}

}  // namespace lowtide::models
