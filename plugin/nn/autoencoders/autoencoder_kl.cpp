#include "plugin/nn/autoencoders/autoencoder_kl.hpp"

#include "plugin/nn/blocks/forward.hpp"

namespace lowtide::models {

namespace {

using BlockGuard = NetworkBuilder::BlockGuard;

constexpr double kEpsilon = 1e-6;

ResnetSizes autoencoderResnetSizes(const AutoencoderConfig& config, int64_t in, int64_t out) {
    return {.in = in, .out = out, .timeWidth = 0, .groups = config.groups, .epsilon = kEpsilon};
}

const AttentionNames& attentionNamesIn(const NetworkBuilder& builder, const std::string& name) {
    static const AttentionNames published{"query", "key", "value", "proj_attn"};
    return builder.has(name + ".query.weight") ? published : diffusersAttentionNames();
}

std::optional<PixelAttention> makeAttention(NetworkBuilder& builder,
                                            const std::string& name,
                                            const AutoencoderConfig& config) {
    if (!config.midAttention) {
        return std::nullopt;
    }
    return PixelAttention(builder, name, config.channels.back(), config.groups);
}

std::vector<ResnetBlock> makeResnets(NetworkBuilder& builder,
                                     const std::string& name,
                                     const AutoencoderConfig& config,
                                     int64_t count,
                                     int64_t in,
                                     int64_t out) {
    std::vector<ResnetBlock> resnets;
    for (int64_t i = 0; i < count; ++i) {
        const std::string resnet = name + ".resnets." + std::to_string(i);
        const BlockGuard guard(builder, resnet);
        resnets.emplace_back(
            builder, resnet, autoencoderResnetSizes(config, i == 0 ? in : out, out));
    }
    return resnets;
}

std::vector<AutoencoderEncoder::Level> makeEncoderLevels(NetworkBuilder& builder,
                                                         const AutoencoderConfig& config) {
    std::vector<AutoencoderEncoder::Level> levels;
    int64_t in = config.channels.front();
    for (size_t i = 0; i < config.channels.size(); ++i) {
        const std::string name = "encoder.down_blocks." + std::to_string(i);
        const BlockGuard guard(builder, name);
        const int64_t out = config.channels[i];
        AutoencoderEncoder::Level level{
            .resnets = makeResnets(builder, name, config, config.layersPerBlock, in, out),
            .shrink = std::nullopt};
        if (i + 1 < config.channels.size()) {
            level.shrink.emplace(builder,
                                 name + ".downsamplers.0.conv",
                                 ConvSizes{.in = out, .out = out, .stride = 2, .padding = 0});
        }
        levels.push_back(std::move(level));
        in = out;
    }
    return levels;
}

std::vector<AutoencoderDecoder::Level> makeDecoderLevels(NetworkBuilder& builder,
                                                         const AutoencoderConfig& config) {
    std::vector<AutoencoderDecoder::Level> levels;
    const size_t count = config.channels.size();
    int64_t in = config.channels.back();
    for (size_t i = 0; i < count; ++i) {
        const std::string name = "decoder.up_blocks." + std::to_string(i);
        const BlockGuard guard(builder, name);
        const int64_t out = config.channels[count - 1 - i];
        AutoencoderDecoder::Level level{
            .resnets = makeResnets(builder, name, config, config.layersPerBlock + 1, in, out),
            .grow = std::nullopt};
        if (i + 1 < count) {
            level.grow.emplace(
                builder, name + ".upsamplers.0.conv", ConvSizes{.in = out, .out = out});
        }
        levels.push_back(std::move(level));
        in = out;
    }
    return levels;
}

ResnetBlock makeMidResnet(NetworkBuilder& builder,
                          const std::string& name,
                          const AutoencoderConfig& config) {
    return {builder,
            name,
            autoencoderResnetSizes(config, config.channels.back(), config.channels.back())};
}

at::Tensor applyResnets(Forward& forward, const std::vector<ResnetBlock>& resnets, at::Tensor x) {
    for (const ResnetBlock& resnet : resnets) {
        x = resnet.applyOver(forward, std::move(x), {});
    }
    return x;
}

}  // namespace

PixelAttention::PixelAttention(NetworkBuilder& builder,
                               const std::string& name,
                               int64_t channels,
                               int64_t groups)
    : norm(builder, name + ".group_norm", channels, groups, kEpsilon),
      attention(
          builder,
          name,
          attentionNamesIn(builder, name),
          {.width = channels, .contextWidth = channels, .heads = 1, .inputBias = Bias::Added}) {}

at::Tensor PixelAttention::apply(Forward& forward, const at::Tensor& x) const {
    const at::Tensor tokens = norm.apply(forward, x).flatten(2).transpose(1, 2);  // -> [B, HW, C]
    const at::Tensor mixed = attention.apply(forward, tokens, tokens, Mask::None);
    return x + mixed.transpose(1, 2).reshape(x.sizes());  // [B, HW, C] -> [B, C, H, W]
}

AutoencoderMid::AutoencoderMid(NetworkBuilder& builder,
                               const std::string& name,
                               const AutoencoderConfig& config)
    : first(makeMidResnet(builder, name + ".resnets.0", config)),
      attention(makeAttention(builder, name + ".attentions.0", config)),
      last(makeMidResnet(builder, name + ".resnets.1", config)) {}

at::Tensor AutoencoderMid::apply(Forward& forward, const at::Tensor& x) const {
    at::Tensor hidden = first.apply(forward, x, {});
    if (attention) {
        hidden = attention->apply(forward, hidden);
    }
    return last.apply(forward, hidden, {});
}

AutoencoderEncoder::AutoencoderEncoder(NetworkBuilder& builder, const AutoencoderConfig& config)
    : input(
          builder, "encoder.conv_in", {.in = config.imageChannels, .out = config.channels.front()}),
      levels(makeEncoderLevels(builder, config)),
      mid([&] {
          const BlockGuard guard(builder, "encoder.mid_block");
          return AutoencoderMid(builder, "encoder.mid_block", config);
      }()),
      outputNorm(builder, "encoder.conv_norm_out", config.channels.back(), config.groups, kEpsilon),
      output(builder,
             "encoder.conv_out",
             {.in = config.channels.back(), .out = 2 * config.latentChannels}) {}

at::Tensor AutoencoderEncoder::apply(Forward& forward, const at::Tensor& pixels) const {
    at::Tensor hidden = input.apply(forward, pixels);
    for (const Level& level : levels) {
        hidden = applyResnets(forward, level.resnets, std::move(hidden));
        if (level.shrink) {
            // Padded at the right and at the bottom only.
            hidden = level.shrink->apply(forward, at::constant_pad_nd(hidden, {0, 1, 0, 1}));
        }
    }
    hidden = mid.apply(forward, hidden);
    hidden = outputNorm.applyActivatedOver(forward, std::move(hidden), {});
    return output.apply(forward, hidden).contiguous();
}

AutoencoderDecoder::AutoencoderDecoder(NetworkBuilder& builder, const AutoencoderConfig& config)
    : input(
          builder, "decoder.conv_in", {.in = config.latentChannels, .out = config.channels.back()}),
      mid([&] {
          const BlockGuard guard(builder, "decoder.mid_block");
          return AutoencoderMid(builder, "decoder.mid_block", config);
      }()),
      levels(makeDecoderLevels(builder, config)),
      outputNorm(
          builder, "decoder.conv_norm_out", config.channels.front(), config.groups, kEpsilon),
      output(builder,
             "decoder.conv_out",
             {.in = config.channels.front(), .out = config.imageChannels}) {}

at::Tensor AutoencoderDecoder::apply(Forward& forward, const at::Tensor& latents) const {
    at::Tensor hidden = mid.apply(forward, input.apply(forward, latents));
    for (const Level& level : levels) {
        hidden = applyResnets(forward, level.resnets, std::move(hidden));
        if (level.grow) {
            hidden =
                level.grow->applyUpsampled(forward, hidden, 2 * hidden.size(2), 2 * hidden.size(3));
        }
    }
    hidden = outputNorm.applyActivatedOver(forward, std::move(hidden), {});
    return output.apply(forward, hidden).contiguous();
}

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

at::Tensor AutoencoderKL::decode(Forward& forward, const at::Tensor& latents) const {
    forward.begin();
    const at::Tensor inner = forward.toCompute(latents);
    return layers_->decoder
        .apply(forward, layers_->postQuant ? layers_->postQuant->apply(forward, inner) : inner)
        .to(at::kFloat);
}

at::Tensor AutoencoderKL::encode(Forward& forward, const at::Tensor& pixels) const {
    forward.begin();
    const at::Tensor moments = layers_->encoder.apply(forward, forward.toCompute(pixels));
    return (layers_->quant ? layers_->quant->apply(forward, moments).contiguous() : moments)
        .to(at::kFloat);
}

}  // namespace lowtide::models
