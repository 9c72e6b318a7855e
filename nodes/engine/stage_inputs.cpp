#include "nodes/engine/stage_inputs.hpp"

#include "nodes/engine/outline_parts.hpp"
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

[[noreturn]] void refuseFrames(const models::PictureSize& size,
                               const models::ModelInfo& info,
                               const std::string& item) {
    const std::string step = std::to_string(info.latent.frameFactor);
    throw Error(ErrorKind::InvalidInput,
                message("{} frames do not fit {}", size.frames, info.checkpoint),
                info.latent.hasFrames ? message("choose 1 frame more than a multiple of {}", step)
                                      : message("choose 1 frame: the model makes pictures"),
                item);
}

/// Of a picture that is there already, the node that brings it to another size is named.
[[noreturn]] void refuseSize(const models::PictureSize& size,
                             const models::ModelInfo& info,
                             const std::string& item) {
    const std::string multiple = std::to_string(info.latent.multiple);
    const bool isPicture = item == "image";
    Json facts = {
        {"width", size.width}, {"height", size.height}, {"multiple", info.latent.multiple}};
    if (isPicture) {
        facts["insert"] = "image.fit";
    }
    throw CodedError(
        Error(
            ErrorKind::InvalidInput,
            message("the size {} x {} does not fit {}", size.width, size.height, info.checkpoint),
            isPicture
                ? message(
                      "put Fit image (image.fit) before it, which makes both sides multiples of {}",
                      multiple)
                : message("choose a width and height that are multiples of {}", multiple),
            item),
        kPictureSizeCode,
        facts.dump());
}

GuideOutline shapesOf(const tensor::VideoGuide* guide) {
    return guide ? GuideOutline{.beside = guide->beside.sizes().vec(),
                                .seen = guide->seen.defined() ? Shape(guide->seen.sizes().vec())
                                                              : Shape()}
                 : GuideOutline();
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
    return valueIn<tensor::Latents>(value, item, "latent picture");
}

const tensor::Images& imagesIn(const memory::WireRef& value, const char* item) {
    return valueIn<tensor::Images>(value, item, "picture");
}

const tensor::Masks& masksIn(const memory::WireRef& value) {
    return valueIn<tensor::Masks>(value, "mask", "mask");
}

Shape shapeOf(const memory::WireRef& value) {
    if (const auto* placeholder = dynamic_cast<const Placeholder*>(value.get())) {
        return placeholder->outline().shape;
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
        return placeholder->outline().value;
    }
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(latent.get())) {
        return std::make_shared<const LatentOutline>(
            EmptyOutline{.size = empty->size(),
                         .batch = empty->batch(),
                         .rate = empty->rate(),
                         .guide = shapesOf(empty->guide().get())});
    }
    const auto* latents = dynamic_cast<const tensor::Latents*>(latent.get());
    return latents && (latents->deviation().defined() || latents->guide())
               ? std::make_shared<const LatentOutline>(latents->deviation().defined(),
                                                       shapesOf(latents->guide().get()))
               : nullptr;
}

models::ConditioningOutline outlineAt(const memory::WireRef& value, const char* item) {
    const auto* placeholder = dynamic_cast<const Placeholder*>(value.get());
    return placeholder ? outlineOf(placeholder->outline(), item)
                       : outlineOf(conditioningIn(value, item));
}

models::ConditioningOutline outlineOf(const executor::ValueOutline& known, const char* item) {
    if (const auto* outline = dynamic_cast<const models::ConditioningOutline*>(known.value.get())) {
        return *outline;
    }
    requireThat(known.shape.size() == 3,
                message("the input {} is {}", item, toText(known.shape)),
                message("connect a conditioning"),
                item);
    return {{{.name = tensor::kEmbeds, .width = known.shape[2]}},
            {{.tensors = {{tensor::kEmbeds, known.shape}}}}};
}

models::ConditioningOutline outlineOf(const tensor::Conditioning& conditioning) {
    std::vector<models::EntryOutline> entries;
    for (const tensor::ConditioningEntry& entry : conditioning.entries()) {
        models::EntryOutline& outline =
            entries.emplace_back(models::EntryOutline{.scope = entry.scope});
        for (const auto& [name, tensor] : entry.tensors) {
            outline.tensors.emplace(name, tensor.sizes().vec());
        }
    }
    return {conditioning.fields(), std::move(entries)};
}

Shape latentShapeFor(const models::Model& model,
                     const models::PictureSize& size,
                     int64_t batch,
                     const char* item) {
    const models::ModelInfo& info = model.info();
    const std::optional<Shape> shape = info.latent.shapeFor(size, batch);
    if (!shape && !info.latent.takesFrames(size.frames)) {
        // Who states a width states the frames beside it.
        refuseFrames(size, info, std::string_view(item) == "width" ? "frames" : item);
    }
    if (!shape) {
        refuseSize(size, info, item);
    }
    return *shape;
}

std::string pictureSizeText(const models::PictureSize& size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

models::PictureSize usualSizeFor(const models::ModelInfo& info, const models::PictureSize& size) {
    const double scale = std::sqrt(static_cast<double>(info.usual.pixels) /
                                   static_cast<double>(size.width * size.height));
    const auto rounded = [&](int64_t side) {
        const auto scaled = static_cast<int64_t>(static_cast<double>(side) * scale);
        return scaled / info.latent.multiple * info.latent.multiple;
    };
    return {.width = rounded(size.width), .height = rounded(size.height), .frames = size.frames};
}

void requireRoomFor(const models::ModelInfo& info, const models::PictureSize& size) {
    const int64_t most = info.latent.mostPixels;
    if (most == 0 || size.width == size.height || size.width * size.height <= most) {
        return;
    }
    throw Error(
        ErrorKind::InvalidInput,
        message("the size is {}, and {} has room for {} pixels of a picture that is no square",
                pictureSizeText(size),
                info.checkpoint,
                most),
        info.usual.pixels > 0
            ? message("choose {}, which its own pipeline would make, and enlarge the picture",
                      pictureSizeText(usualSizeFor(info, size)))
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
    requireRoomFor(info, info.latent.sizeOf(latents));
}

void requirePictures(const models::Model& model, const Message& what) {
    if (model.info().latent.hasFrames) {
        throw Error(
            ErrorKind::Unsupported,
            message("{} makes videos, and {} is for pictures", model.info().checkpoint, what),
            message("choose another checkpoint"),
            "model");
    }
}

void checkMaskFits(const Shape& mask, const Shape& image) {
    const bool fits = mask.size() == 4 && mask[2] == image[2] && mask[3] == image[3] &&
                      (mask[0] == 1 || mask[0] == image[0]);
    if (!fits) {
        throw Error(ErrorKind::InvalidInput,
                    message("the mask is {}, the picture {}", toText(mask), toText(image)),
                    message("connect a mask of the picture's size"),
                    "mask");
    }
}

}  // namespace lowtide::nodes
