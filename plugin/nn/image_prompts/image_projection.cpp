#include "plugin/nn/image_prompts/image_projection.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <string>

namespace lowtide::models {

namespace {

constexpr double kProjectionEpsilon = 1e-5;

using ProjectionLayers = std::variant<PooledProjection, ImageResampler>;

std::unique_ptr<const ProjectionLayers> makeProjectionLayers(NetworkBuilder& builder,
                                                             const ImageProjectionConfig& config) {
    return config.isResampler
               ? std::make_unique<const ProjectionLayers>(ImageResampler(builder, config))
               : std::make_unique<const ProjectionLayers>(PooledProjection(builder, config));
}

at::Tensor inHeads(const at::Tensor& x) {
    // [N,T,D] -> [N,D/64,T,64]
    return x.view({x.size(0), x.size(1), x.size(2) / kResamplerHead, kResamplerHead})
        .transpose(1, 2);
}

}  // namespace

PooledProjection::PooledProjection(NetworkBuilder& builder, const ImageProjectionConfig& config)
    : projection(builder, "proj", config.visionWidth, config.tokens * config.width),
      norm(builder, "norm", config.width, kProjectionEpsilon),
      tokens(config.tokens) {}

at::Tensor PooledProjection::apply(Forward& forward, const at::Tensor& visionEmbeds) const {
    const at::Tensor all = projection.apply(forward, visionEmbeds);
    return norm.apply(forward, all.view({all.size(0), tokens, -1}));
}

ImageResampler::Layer::Layer(NetworkBuilder& builder,
                             const std::string& name,
                             const ImageProjectionConfig& config)
    : normVision(builder, name + ".0.norm1", config.innerWidth, kProjectionEpsilon),
      normTokens(builder, name + ".0.norm2", config.innerWidth, kProjectionEpsilon),
      attention(builder.leaf(name + ".0.",
                             {matrixSpec("to_q.weight", config.innerWidth, config.headsWidth),
                              matrixSpec("to_kv.weight", config.innerWidth, 2 * config.headsWidth),
                              matrixSpec("to_out.weight", config.headsWidth, config.innerWidth)})),
      normFeed(builder, name + ".1.0", config.innerWidth, kProjectionEpsilon),
      inner(builder, name + ".1.1", config.innerWidth, config.feedWidth, Bias::None),
      outer(builder, name + ".1.3", config.feedWidth, config.innerWidth, Bias::None) {}

at::Tensor ImageResampler::Layer::attend(Forward& forward,
                                         const at::Tensor& visionEmbeds,
                                         const at::Tensor& tokens) const {
    const at::Tensor asked = normTokens.apply(forward, tokens);
    const at::Tensor context = at::cat({normVision.apply(forward, visionEmbeds), asked}, 1);
    const residency::Lease lease = forward.use(attention);
    const at::ScalarType type = forward.productType(attention);
    const at::Tensor q = tensor::kernels::linear(asked.to(type), lease[0], {});
    const std::vector<at::Tensor> kv =
        tensor::kernels::linear(context.to(type), lease[1], {}).chunk(2, -1);
    const at::Tensor found = tensor::kernels::attention(inHeads(q),
                                                        inHeads(kv[0].contiguous()),
                                                        inHeads(kv[1].contiguous()),
                                                        /*causal=*/false);
    return tensor::kernels::linear(found.transpose(1, 2).reshape(q.sizes()), lease[2], {})
        .to(tokens.scalar_type());
}

at::Tensor ImageResampler::Layer::apply(Forward& forward,
                                        const at::Tensor& visionEmbeds,
                                        const at::Tensor& tokens) const {
    const at::Tensor attended = attend(forward, visionEmbeds, tokens).add_(tokens);
    const at::Tensor hidden =
        tensor::kernels::gelu(inner.apply(forward, normFeed.apply(forward, attended)));
    return outer.apply(forward, hidden).add_(attended);
}

ImageResampler::ImageResampler(NetworkBuilder& builder, const ImageProjectionConfig& config)
    : tokens(
          builder.leaf("latents", {{.name = "", .shape = {1, config.tokens, config.innerWidth}}})),
      input(builder, "proj_in", config.visionWidth, config.innerWidth),
      layers(numberedBlocks<Layer>(builder, "layers.", config.layers, config)),
      output(builder, "proj_out", config.innerWidth, config.width),
      norm(builder, "norm_out", config.width, kProjectionEpsilon) {}

at::Tensor ImageResampler::apply(Forward& forward, const at::Tensor& visionEmbeds) const {
    at::Tensor own = forward.toCompute(forward.use(tokens)[0]).repeat({visionEmbeds.size(0), 1, 1});
    const at::Tensor read = input.apply(forward, visionEmbeds);
    for (const Layer& layer : layers) {
        own = layer.apply(forward, read, own);
    }
    return norm.apply(forward, output.apply(forward, own));
}

ImageProjection::ImageProjection(const ImageProjectionConfig& config,
                                 const WeightMap& weights,
                                 std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role),
                           config.isResampler ? "IPAdapterPlusImageProjection" : "ImageProjection",
                           weights,
                           DType::F32);
    layers_ = makeProjectionLayers(builder, config);
    tree_ = builder.finish({});
}

at::Tensor ImageProjection::apply(Forward& forward, const at::Tensor& visionEmbeds) const {
    forward.begin();
    const at::Tensor given = forward.toCompute(visionEmbeds);
    return std::visit([&](const auto& layers) { return layers.apply(forward, given); }, *layers_)
        .contiguous()
        .to(at::kFloat);
}

}  // namespace lowtide::models
