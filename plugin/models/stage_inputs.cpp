#include "plugin/models/stage_inputs.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"

namespace lowtide::models {

namespace {

template <class T>
const T& valueIn(const memory::WireRef& value, const char* item, const char* wanted) {
    if (const auto* typed = dynamic_cast<const T*>(value.get())) {
        return *typed;
    }
    throw Error(ErrorKind::InvalidInput,
                value ? "the input " + std::string(item) + " is no " + wanted
                      : "the input " + std::string(item) + " is not connected",
                "connect a " + std::string(wanted),
                item);
}

}  // namespace

const Model& modelIn(const memory::WireRef& value) {
    return valueIn<Model>(value, "model", "model");
}

const Upscaler& upscalerIn(const memory::WireRef& value) {
    return valueIn<Upscaler>(value, "upscaler", "loaded upscaler");
}

const tensor::Conditioning& conditioningIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Conditioning>(value, item, "conditioning");
}

const tensor::Latents& latentsIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Latents>(value, item, "latent picture");
}

const tensor::Images& imagesIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Images>(value, item, "picture");
}

const tensor::Masks& masksIn(const memory::WireRef& value) {
    return valueIn<tensor::Masks>(value, "mask", "mask");
}

at::Tensor fieldIn(const tensor::Conditioning& conditioning,
                   const tensor::ConditioningField& wanted,
                   const char* item) {
    at::Tensor field = conditioning.tensor(wanted.name);
    const char* hint = "connect the encoder of the same checkpoint";
    requireThat(field.defined(),
                "the conditioning has no " + wanted.name + ", which the denoiser wants",
                hint,
                item);
    requireThat(field.size(0) == 1 && field.size(-1) == wanted.width,
                "the conditioning is " + std::to_string(field.size(-1)) +
                    " wide, the denoiser wants " + std::to_string(wanted.width),
                hint,
                item);
    return field;
}

std::shared_ptr<const memory::ComponentTree> treeIn(const Model& model, std::string_view role) {
    std::shared_ptr<const memory::ComponentTree> tree = model.tree(role);
    if (!tree) {
        throw Error(ErrorKind::Unsupported,
                    "checkpoint " + model.info().checkpoint + " has no " + std::string(role),
                    "choose another checkpoint",
                    "model");
    }
    return tree;
}

void checkLatents(const Model& model, const at::Tensor& samples) {
    const ModelInfo& info = model.info();
    if (samples.dim() != 4 || samples.size(1) != info.latentChannels) {
        throw Error(ErrorKind::InvalidInput,
                    "the latent is " + toText(samples.sizes()) + ", " + info.checkpoint +
                        " works on " + std::to_string(info.latentChannels) + " channels",
                    "connect a latent of the same family",
                    "latent");
    }
}

void checkMaskFits(const Shape& mask, const Shape& image) {
    const bool fits = mask.size() == 4 && mask[2] == image[2] && mask[3] == image[3] &&
                      (mask[0] == 1 || mask[0] == image[0]);
    if (!fits) {
        throw Error(ErrorKind::InvalidInput,
                    "the mask is " + toText(mask) + ", the picture " + toText(image),
                    "connect a mask of the picture's size",
                    "mask");
    }
}

}  // namespace lowtide::models
