#include "plugin/models/decode_stage.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/joined_pictures.hpp"
#include "plugin/models/precision/finite_result.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/stage_progress.hpp"
#include "plugin/models/tiles.hpp"
#include "plugin/tensor/crossing.hpp"

namespace lowtide::models {

namespace {

const tensor::Latents& filledLatents(const memory::WireRef& value) {
    if (dynamic_cast<const tensor::EmptyLatents*>(value.get())) {
        throw Error(ErrorKind::InvalidInput,
                    "the latent is empty, there is nothing to decode",
                    "put a denoise node between",
                    "latent");
    }
    return latentsIn(value);
}

at::Tensor decodeAll(StageContext& context,
                     const Model& model,
                     const at::Tensor& latents,
                     const DecodeRequest& request,
                     const StageCall& call,
                     FiniteResult& finite) {
    const auto decode = [&](const at::Tensor& part) {
        return finite.of([&](const Model& own) { return own.decode(context, part); });
    };
    const int64_t count = latents.size(0);
    JoinedPictures pictures(count);
    for (int64_t i = 0; i < count; ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const at::Tensor one = latents.narrow(0, i, 1);
        pictures.put(i,
                     request.tilePixels > 0
                         ? decodeInTiles(one, request.tilePixels, model.info().downsampling, decode)
                         : decode(one));
        tellProgress(context, *treeIn(model, kAutoencoder), call, "decode", i + 1, count);
    }
    return pictures.take();
}

}  // namespace

WireRef decodeStage(StageContext& context, const DecodeRequest& request, const StageCall& call) {
    const Model& model = modelIn(request.model);
    const tensor::Latents& given = filledLatents(request.latent);
    checkLatents(model, given.samples());
    const c10::Device device = context.weights.torchDeviceOf(*treeIn(model, kAutoencoder));
    const at::Tensor latents = model.unscaled(tensor::upload(given.samples(), device));
    context.record.put("vae.decode_in", latents);
    FiniteResult finite(model, call);
    at::Tensor pixels = decodeAll(context, model, latents, request, call, finite);
    context.record.put("vae.decode_out", pixels);
    pixels.div_(2).add_(0.5).clamp_(0, 1);
    context.record.put("image", pixels);
    if (context.record.isOn()) {
        context.record.put("image_u8", tensor::image8Tensor(pixels));
    }
    tensor::Provenance provenance = given.provenance();
    finite.describe(provenance, kDecodeField);
    return std::make_shared<const tensor::Images>(std::move(pixels), std::move(provenance));
}

}  // namespace lowtide::models
