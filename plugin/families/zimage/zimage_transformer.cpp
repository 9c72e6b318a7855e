#include "plugin/families/zimage/zimage_transformer.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/latent_patches.hpp"
#include "plugin/nn/denoisers/modulation.hpp"
#include "plugin/nn/denoisers/time_embedding.hpp"
#include "plugin/nn/step_hints.hpp"
#include "plugin/sampling/step_caches/cached_call.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr double kZImageOutputEpsilon = 1e-6;
constexpr int64_t kZImageSinusoids = 256;
constexpr int64_t kZImageTimeInner = 1024;
constexpr int64_t kFilledTo = 32;  ///< rows of tokens are multiples of it
constexpr double kNoise = 1000;    ///< the timestep of pure noise

std::vector<ZImageBlock> zimageBlocks(NetworkBuilder& builder,
                                      const ZImageConfig& config,
                                      const char* stem,
                                      int64_t count,
                                      ByTime byTime) {
    std::vector<ZImageBlock> blocks;
    for (int64_t i = 0; i < count; ++i) {
        const std::string name = stem + std::to_string(i);
        const NetworkBuilder::BlockGuard block(builder, name);
        blocks.emplace_back(builder, name, config, byTime);
    }
    return blocks;
}

int64_t filledUpTo(int64_t count) {
    return (count + kFilledTo - 1) / kFilledTo * kFilledTo;
}

/// Of texts, f64 [count, 3]: one behind the other along the first axis, from 1; what fills up too.
at::Tensor textPlaces(int64_t count) {
    at::Tensor places = at::zeros({count, 3}, at::kDouble);
    places.select(1, 0).copy_(at::arange(1, count + 1, at::kDouble));
    return places;
}

/// Of a picture's rows and columns, at `first` of the first axis; what fills up stands at 0.
at::Tensor picturePlaces(int64_t rows, int64_t columns, int64_t first) {
    at::Tensor places = at::zeros({filledUpTo(rows * columns), 3}, at::kDouble);
    const at::Tensor own = places.narrow(0, 0, rows * columns).unflatten(0, {rows, columns});
    own.select(2, 0).fill_(static_cast<double>(first));
    own.select(2, 1).copy_(at::arange(rows, at::kDouble).unsqueeze(1));
    own.select(2, 2).copy_(at::arange(columns, at::kDouble));
    return places;
}

Rotation narrowed(const Rotation& all, int64_t first, int64_t count) {
    return {.cosines = all.cosines.narrow(1, first, count),
            .sines = all.sines.narrow(1, first, count)};
}

}  // namespace

ZImageTransformer::Layers::Layers(NetworkBuilder& builder, const ZImageConfig& config)
    : patches(builder, "all_x_embedder.2-1", config.patchNumbers(), config.width),
      textNorm(builder, "cap_embedder.0", config.textWidth, config.normEpsilon),
      text(builder, "cap_embedder.1", config.textWidth, config.width),
      timeInner(builder, "t_embedder.mlp.0", kZImageSinusoids, kZImageTimeInner),
      timeOuter(builder, "t_embedder.mlp.2", kZImageTimeInner, zimageTimeWidth(config)),
      picturePad(builder.leaf("", {{.name = "x_pad_token", .shape = {1, config.width}}})),
      textPad(builder.leaf("", {{.name = "cap_pad_token", .shape = {1, config.width}}})),
      pictureRefiners(
          zimageBlocks(builder, config, "noise_refiner.", config.refiners, ByTime::Yes)),
      textRefiners(zimageBlocks(builder, config, "context_refiner.", config.refiners, ByTime::No)),
      blocks(zimageBlocks(builder, config, "layers.", config.layers, ByTime::Yes)),
      outputModulation(
          builder, "all_final_layer.2-1.adaLN_modulation.1", zimageTimeWidth(config), config.width),
      output(builder, "all_final_layer.2-1.linear", config.width, config.patchNumbers()) {}

ZImageTransformer::ZImageTransformer(ZImageConfig config,
                                     const WeightMap& weights,
                                     std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "ZImageTransformer2DModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({});
}

at::Tensor ZImageTransformer::timeOf(Pass& pass, const at::Tensor& timestep, int64_t count) const {
    const at::Tensor time = ((kNoise - timestep.to(at::kFloat)) / kNoise).reshape({1});
    const at::Tensor numbers = tensor::upload(sinusoids(time.expand({count}) * config_.timeScale,
                                                        kZImageSinusoids,
                                                        /*cosineFirst=*/true,
                                                        /*frequencyShift=*/0),
                                              pass.device());
    return layers_->timeOuter.apply(
        pass, kernels::silu(layers_->timeInner.apply(pass, pass.toCompute(numbers))));
}

at::Tensor ZImageTransformer::filled(Pass& pass, const at::Tensor& tokens, memory::LeafId pad) {
    const int64_t missing = filledUpTo(tokens.size(1)) - tokens.size(1);
    if (missing == 0) {
        return tokens;
    }
    const residency::Lease lease = pass.use(pad);
    const at::Tensor learnt =
        lease[0].to(tokens.scalar_type()).unsqueeze(0).expand({tokens.size(0), missing, -1});
    return at::cat({tokens, learnt}, 1);
}

/// A cache keeps the picture's tokens on both sides of the first layer behind the refiners. Blocks
/// write to what they get.
at::Tensor ZImageTransformer::throughBlocks(Pass& pass,
                                            at::Tensor all,
                                            int64_t pictureTokens,
                                            const BlockInputs& inputs,
                                            sampling::CachedCall& cached) const {
    const std::vector<ZImageBlock>& blocks = layers_->blocks;
    const auto ofPicture = [&] { return all.narrow(1, 0, pictureTokens); };
    const bool isCut = cached.depth() >= 0;
    if (isCut) {
        cached.enter(ofPicture().clone());
    }
    blocks.front().apply(pass, all, inputs.time, inputs.rotation);
    at::Tensor probe;
    if (isCut) {
        probe = ofPicture().clone();
        if (cached.isReused(probe)) {
            cached.finish(sampling::StepWork::Partial);
            return cached.value(probe);
        }
    }
    for (size_t i = 1; i < blocks.size(); ++i) {
        blocks[i].apply(pass, all, inputs.time, inputs.rotation);
    }
    all = ofPicture();
    if (isCut) {
        all = all.clone();
        cached.keep(probe, all);
    }
    cached.finish(sampling::StepWork::Full);
    return all;
}

at::Tensor ZImageTransformer::predict(Pass& pass,
                                      const at::Tensor& latents,
                                      const at::Tensor& timestep,
                                      const at::Tensor& text,
                                      const sampling::StepInfo& step) const {
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, pass.tree().id));
    pass.begin(passHint(step, cached.work()));
    const at::Tensor time = timeOf(pass, timestep, latents.size(0));
    at::Tensor picture = filled(
        pass,
        layers_->patches.apply(pass, pass.toCompute(patchNumbers(latents, ZImageConfig::kPatch))),
        layers_->picturePad);
    at::Tensor words = filled(
        pass, layers_->text.apply(pass, layers_->textNorm.apply(pass, text)), layers_->textPad);
    const int64_t pictureTokens = picture.size(1);
    const int64_t textTokens = words.size(1);
    const Rotation turned =
        placedRotation(at::cat({picturePlaces(latents.size(2) / ZImageConfig::kPatch,
                                              latents.size(3) / ZImageConfig::kPatch,
                                              textTokens + 1),
                                textPlaces(textTokens)}),
                       config_.axes,
                       config_.rotaryBase);
    const Rotation rotation{.cosines = tensor::upload(turned.cosines, pass.device()),
                            .sines = tensor::upload(turned.sines, pass.device())};
    for (const ZImageBlock& block : layers_->pictureRefiners) {
        block.apply(pass, picture, time, narrowed(rotation, 0, pictureTokens));
    }
    for (const ZImageBlock& block : layers_->textRefiners) {
        block.apply(pass, words, {}, narrowed(rotation, pictureTokens, textTokens));
    }
    at::Tensor all = at::cat({picture, words.expand({picture.size(0), -1, -1})}, 1);
    picture.reset();
    words.reset();
    all = throughBlocks(
        pass, std::move(all), pictureTokens, {.time = time, .rotation = rotation}, cached);
    const at::Tensor scale =
        layers_->outputModulation.apply(pass, kernels::silu(time)).to(at::kFloat).unsqueeze(1);
    all = modulatedNorm(all, at::zeros_like(scale), scale, kZImageOutputEpsilon);
    return fromPatchNumbers(
        layers_->output.apply(pass, all), ZImageConfig::kPatch, latents.size(2), latents.size(3));
}

}  // namespace lowtide::models
