#include "plugin/families/wan/wan_transformer.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kOutputParts = 2;

/// [N, C, F, h, w] as patches: [N, C, F / f, f, h / p, p, w / q, q].
at::Tensor inPatches(const at::Tensor& latents, const std::array<int64_t, 3>& patch) {
    return latents.unflatten(4, {-1, patch[2]})
        .unflatten(3, {-1, patch[1]})
        .unflatten(2, {-1, patch[0]});
}

}  // namespace

WanTransformer::Layers::Layers(NetworkBuilder& builder, const WanConfig& config)
    : patches(builder.leaf("patch_embedding.",
                           {{.name = "weight",
                             .shape = {config.width(),
                                       config.inChannels,
                                       config.patch[0],
                                       config.patch[1],
                                       config.patch[2]}},
                            {.name = "bias", .shape = {config.width()}}})),
      conditions(builder, config),
      blocks(numberedBlocks<WanBlock>(builder, "blocks.", config.layers, config)),
      output(builder, "proj_out", config.width(), config.patchNumbers(config.outChannels)),
      table(builder.leaf(
          "", {{.name = "scale_shift_table", .shape = {1, kOutputParts, config.width()}}})) {}

WanTransformer::WanTransformer(const WanConfig& config,
                               const WeightMap& weights,
                               std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "WanTransformer3DModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

/// A convolution whose kernel is its stride: a product for each patch.
at::Tensor WanTransformer::tokensOf(Forward& forward, const at::Tensor& latents) const {
    const residency::Lease lease = forward.use(layers_->patches);
    const at::Tensor numbers = inPatches(latents, config_.patch)
                                   .permute({0, 2, 4, 6, 1, 3, 5, 7})  // [N,F,h,w,C,f,p,q]
                                   .flatten(4)
                                   .flatten(1, 3);
    return forward.toCompute(
        kernels::linear(numbers.to(lease[0].scalar_type()), lease[0].flatten(1), lease[1]));
}

at::Tensor WanTransformer::latentsOf(const at::Tensor& tokens, const at::Tensor& latents) const {
    const auto [frames, rows, columns] = config_.patch;
    const std::vector<int64_t> sizes = {tokens.size(0),
                                        latents.size(2) / frames,
                                        latents.size(3) / rows,
                                        latents.size(4) / columns,
                                        frames,
                                        rows,
                                        columns,
                                        config_.outChannels};
    return tokens.view(sizes)
        .permute({0, 7, 1, 4, 2, 5, 3, 6})  // [N,C,F,f,h,p,w,q]
        .to(at::kFloat)
        .contiguous()
        .view({tokens.size(0),
               config_.outChannels,
               latents.size(2),
               latents.size(3),
               latents.size(4)});
}

/// A third of a head for rows and columns each, rounded down to pairs; frames have the rest.
Rotation WanTransformer::rotationFor(const at::Tensor& latents, c10::Device device) const {
    const int64_t side = 2 * (config_.headWidth / 6);
    return uploaded(
        gridRotation({{latents.size(2) / config_.patch[0], config_.headWidth - 2 * side},
                      {latents.size(3) / config_.patch[1], side},
                      {latents.size(4) / config_.patch[2], side}}),
        device);
}

at::Tensor WanTransformer::predict(Forward& forward,
                                   const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const WanInputs& inputs,
                                   const sampling::StepInfo& step) const {
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, forward.tree().id));
    forward.begin(forwardHint(step, cached.work()));
    const at::Tensor steps = sinusoids(
        forward, timestep.to(at::kFloat).reshape({1}).expand({latents.size(0)}), config_.timeWidth);
    at::Tensor hidden = tokensOf(forward, latents);
    const WanConditions::Time time = layers_->conditions.time(forward, steps, hidden);
    WanContext context{.text = layers_->conditions.text(forward, inputs.text),
                       .time = time.parts,
                       .rotation = rotationFor(latents, forward.device())};
    if (layers_->conditions.images && inputs.images.defined()) {
        context.images = layers_->conditions.images->apply(forward, inputs.images);
    }
    const std::vector<WanBlock>& blocks = layers_->blocks;
    hidden = throughBlocks(
        cached,
        std::move(hidden),
        [&](const at::Tensor& own) { blocks.front().apply(forward, own, context); },
        [&](at::Tensor own) {
            for (size_t i = 1; i < blocks.size(); ++i) {
                blocks[i].apply(forward, own, context);
            }
            return own;
        });
    std::vector<at::Tensor> by;
    {
        const residency::Lease lease = forward.use(layers_->table);
        by = (time.whole.to(at::kFloat).unsqueeze(1) + lease[0].to(at::kFloat))
                 .chunk(kOutputParts, 1);
    }
    hidden = modulatedNorm(hidden, by[0], by[1], config_.epsilon);
    return latentsOf(layers_->output.apply(forward, hidden), latents);
}

}  // namespace lowtide::models
