#include "nodes/engine/stage_inputs.hpp"

#include "nodes/engine/spec_parts.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/checkpoints/model_part.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

template <class T>
const T& valueIn(const memory::WireRef& value, const char* item, const char* wanted) {
    if (const auto* typed = dynamic_cast<const T*>(meantBy(value).get())) {
        return *typed;
    }
    throw Error(ErrorKind::InvalidInput,
                value ? message("the input {} is no {}", item, wanted)
                      : message("the input {} is not connected", item),
                message("connect a {}", wanted),
                item);
}

[[noreturn]] void refuseFrames(const models::ImageSize& size,
                               const models::ModelInfo& info,
                               const std::string& item) {
    const std::string step = std::to_string(info.latent.frameFactor);
    throw Error(ErrorKind::InvalidInput,
                message("{} frames do not fit {}", size.frames, info.checkpoint),
                info.latent.hasFrames ? message("choose 1 frame more than a multiple of {}", step)
                                      : message("choose 1 frame: the model makes images"),
                item);
}

/// For an image that is there already, names the node that brings it to another size.
[[noreturn]] void refuseSize(const models::ImageSize& size,
                             const models::ModelInfo& info,
                             const std::string& item) {
    const std::string multiple = std::to_string(info.latent.multiple);
    const bool isImage = item == "image";
    Json facts = {
        {"width", size.width}, {"height", size.height}, {"multiple", info.latent.multiple}};
    if (isImage) {
        facts["insert"] = "image.fit";
    }
    throw CodedError(
        Error(
            ErrorKind::InvalidInput,
            message("the size {} x {} does not fit {}", size.width, size.height, info.checkpoint),
            isImage
                ? message(
                      "put Fit image (image.fit) before it, which makes both sides multiples of {}",
                      multiple)
                : message("choose a width and height that are multiples of {}", multiple),
            item),
        kImageSizeCode,
        facts.dump());
}

ImageConditioningSpec shapesOf(const tensor::ImageConditioning* imageConditioning) {
    return imageConditioning
               ? ImageConditioningSpec{.extraChannels =
                                           imageConditioning->extraChannels.sizes().vec(),
                                       .visionEmbeds =
                                           imageConditioning->visionEmbeds.defined()
                                               ? Shape(
                                                     imageConditioning->visionEmbeds.sizes().vec())
                                               : Shape()}
               : ImageConditioningSpec();
}

}  // namespace

const models::Model& modelIn(const memory::WireRef& value) {
    return valueIn<models::Model>(value, "model", "model");
}

const models::ComponentSource& loadedIn(const memory::WireRef& value) {
    return valueIn<models::ComponentSource>(value, "model", "model");
}

const models::Upscaler& upscalerIn(const memory::WireRef& value) {
    return valueIn<models::Upscaler>(value, "upscaler", "loaded upscaler");
}

const models::ControlNet& controlNetIn(const memory::WireRef& value) {
    return valueIn<models::ControlNet>(value, "controlnet", "loaded ControlNet");
}

const models::ModelPart& partIn(const memory::WireRef& value, const char* item) {
    return valueIn<models::ModelPart>(value, item, "loaded part of a model");
}

const models::IpAdapter& ipAdapterIn(const memory::WireRef& value) {
    return valueIn<models::IpAdapter>(value, "ip_adapter", "loaded IP-Adapter");
}

const tensor::Conditioning& conditioningIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Conditioning>(value, item, "conditioning");
}

const tensor::Latents& latentsIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Latents>(value, item, "latent image");
}

const tensor::Images& imagesIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Images>(value, item, "picture");
}

const tensor::Masks& masksIn(const memory::WireRef& value) {
    return valueIn<tensor::Masks>(value, "mask", "mask");
}

Shape shapeOf(const memory::WireRef& value) {
    if (const auto* placeholder = dynamic_cast<const Placeholder*>(value.get())) {
        return placeholder->spec().shape;
    }
    if (const auto* images = dynamic_cast<const tensor::Images*>(value.get())) {
        return images->pixels().sizes().vec();
    }
    if (const auto* masks = dynamic_cast<const tensor::Masks*>(value.get())) {
        return masks->values().sizes().vec();
    }
    const auto* latents = dynamic_cast<const tensor::Latents*>(value.get());
    return latents ? Shape(latents->samples().sizes().vec()) : Shape();
}

memory::WireRef kindOf(const memory::WireRef& latent) {
    if (const auto* placeholder = dynamic_cast<const Placeholder*>(latent.get())) {
        return placeholder->spec().value;
    }
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(latent.get())) {
        return std::make_shared<const LatentSpec>(
            EmptyLatentSpec{.size = empty->size(),
                            .batch = empty->batch(),
                            .rate = empty->rate(),
                            .imageConditioning = shapesOf(empty->imageConditioning().get())});
    }
    const auto* latents = dynamic_cast<const tensor::Latents*>(latent.get());
    return latents && (latents->deviation().defined() || latents->imageConditioning())
               ? std::make_shared<const LatentSpec>(latents->deviation().defined(),
                                                    shapesOf(latents->imageConditioning().get()))
               : nullptr;
}

models::ConditioningSpec specAt(const memory::WireRef& value, const char* item) {
    const auto* placeholder = dynamic_cast<const Placeholder*>(value.get());
    return placeholder ? specOf(placeholder->spec(), item) : specOf(conditioningIn(value, item));
}

models::ConditioningSpec specOf(const executor::ValueSpec& known, const char* item) {
    if (const auto* spec = dynamic_cast<const models::ConditioningSpec*>(known.value.get())) {
        return *spec;
    }
    requireThat(known.shape.size() == 3,
                message("the input {} is {}", item, toText(known.shape)),
                message("connect a conditioning"),
                item);
    return {{{.name = tensor::kEmbeds, .width = known.shape[2]}},
            {{.tensors = {{tensor::kEmbeds, known.shape}}}}};
}

models::ConditioningSpec specOf(const tensor::Conditioning& conditioning) {
    std::vector<models::EntrySpec> entries;
    for (const tensor::ConditioningEntry& entry : conditioning.entries()) {
        models::EntrySpec& spec = entries.emplace_back(models::EntrySpec{.scope = entry.scope});
        for (const auto& [name, tensor] : entry.tensors) {
            spec.tensors.emplace(name, tensor.sizes().vec());
        }
    }
    return {conditioning.fields(), std::move(entries)};
}

Shape latentShapeFor(const models::Model& model,
                     const models::ImageSize& size,
                     int64_t batch,
                     const char* item) {
    const models::ModelInfo& info = model.info();
    const std::optional<Shape> shape = info.latent.shapeFor(size, batch);
    if (!shape && !info.latent.takesFrames(size.frames)) {
        // Whoever states a width states the frames with it.
        refuseFrames(size, info, std::string_view(item) == "width" ? "frames" : item);
    }
    if (!shape) {
        refuseSize(size, info, item);
    }
    return *shape;
}

std::string imageSizeText(const models::ImageSize& size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

models::ImageSize usualSizeFor(const models::ModelInfo& info, const models::ImageSize& size) {
    const double scale = std::sqrt(static_cast<double>(info.usual.pixels) /
                                   static_cast<double>(size.width * size.height));
    const auto rounded = [&](int64_t side) {
        const auto scaled = static_cast<int64_t>(static_cast<double>(side) * scale);
        return scaled / info.latent.multiple * info.latent.multiple;
    };
    return {.width = rounded(size.width), .height = rounded(size.height), .frames = size.frames};
}

void requireSpaceFor(const models::ModelInfo& info, const models::ImageSize& size) {
    const int64_t most = info.latent.mostPixels;
    if (most == 0 || size.width == size.height || size.width * size.height <= most) {
        return;
    }
    throw Error(
        ErrorKind::InvalidInput,
        message("the size is {}, and {} has space for {} pixels of an image that is no square",
                imageSizeText(size),
                info.checkpoint,
                most),
        info.usual.pixels > 0
            ? message("choose {}, which its own pipeline would make, and enlarge the image",
                      imageSizeText(usualSizeFor(info, size)))
            : message("choose a smaller size"),
        "latent");
}

void checkLatents(const models::Model& model, const Shape& latents) {
    const models::ModelInfo& info = model.info();
    if (!info.latent.holds(latents)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the latent is {}, {} works on {}",
                            toText(latents),
                            info.checkpoint,
                            info.latent.toText()),
                    message("connect a latent of the same family"),
                    "latent");
    }
    requireSpaceFor(info, info.latent.sizeOf(latents));
}

void requireImages(const models::Model& model, const Message& what) {
    if (model.info().latent.hasFrames) {
        throw Error(ErrorKind::Unsupported,
                    message("{} makes videos, and {} is for images", model.info().checkpoint, what),
                    message("choose another checkpoint"),
                    "model");
    }
}

void checkMaskFits(const Shape& mask, const Shape& image) {
    const bool fits = mask.size() == 4 && mask[2] == image[2] && mask[3] == image[3] &&
                      (mask[0] == 1 || mask[0] == image[0]);
    if (!fits) {
        throw Error(ErrorKind::InvalidInput,
                    message("the mask is {}, the image {}", toText(mask), toText(image)),
                    message("connect a mask of the image's size"),
                    "mask");
    }
}

}  // namespace lowtide::nodes
