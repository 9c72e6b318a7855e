#include "plugin/models/precision/model_in_precision.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <utility>

namespace lowtide::models {

namespace {

TypedNetwork typedNetwork(const memory::ComponentTree& tree,
                          const memory::ComponentPrecision& precision) {
    return {.tree = std::make_shared<const memory::ComponentTree>(inPrecision(tree, precision)),
            .compute = precision.compute};
}

}  // namespace

ModelInPrecision::ModelInPrecision(std::shared_ptr<const Model> model,
                                   memory::ComponentPrecision precision)
    : model_(std::move(model)), precision_(std::move(precision)) {}

std::shared_ptr<const memory::ComponentTree> ModelInPrecision::tree(std::string_view role) const {
    return role == precision_.role && model_->tree(role) ? network().tree : model_->tree(role);
}

std::shared_ptr<const memory::ComponentTree> ModelInPrecision::openedTree(
    std::string_view role) const {
    std::shared_ptr<const memory::ComponentTree> opened = model_->openedTree(role);
    return opened && role == precision_.role ? network().tree : opened;
}

std::shared_ptr<const Model> ModelInPrecision::inF32() const {
    if (!precision_.checksFinite) {
        return nullptr;
    }
    memory::ComponentPrecision precision = precision_;
    precision.compute = DType::F32;
    precision.checksFinite = false;
    return std::make_shared<const ModelInPrecision>(model_, std::move(precision));
}

const TypedNetwork& ModelInPrecision::network() const {
    const std::lock_guard lock(mutex_);
    if (!network_.tree) {
        network_ = typedNetwork(*model_->tree(precision_.role), precision_);
    }
    return network_;
}

StageContext ModelInPrecision::typed(const StageContext& context) const {
    StageContext own = context;
    own.typed.push_back(&network());
    return own;
}

EncodedPrompts ModelInPrecision::encodePrompts(StageContext& context,
                                               const PromptRequest& request) const {
    StageContext own = typed(context);
    return model_->encodePrompts(own, request);
}

std::unique_ptr<sampling::Denoiser> ModelInPrecision::makeDenoiser(
    StageContext& context, const DenoiserRequest& request) const {
    StageContext own = typed(context);
    return model_->makeDenoiser(own, request);
}

at::Tensor ModelInPrecision::decode(StageContext& context, const at::Tensor& latents) const {
    StageContext own = typed(context);
    return model_->decode(own, latents);
}

at::Tensor ModelInPrecision::encode(StageContext& context, const at::Tensor& pixels) const {
    StageContext own = typed(context);
    return model_->encode(own, pixels);
}

UpscalerInPrecision::UpscalerInPrecision(std::shared_ptr<const Upscaler> upscaler,
                                         const memory::ComponentPrecision& precision)
    : upscaler_(std::move(upscaler)), network_(typedNetwork(*upscaler_->tree(), precision)) {}

at::Tensor UpscalerInPrecision::enlarge(StageContext& context, const at::Tensor& pixels) const {
    StageContext own = context;
    own.typed = {&network_};
    return upscaler_->enlarge(own, pixels);
}

}  // namespace lowtide::models
