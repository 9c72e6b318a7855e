#include "tests/unit/models/image_bench.hpp"

#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

namespace lowtide::testing {

using nodes::WireRef;

ImageBench::ImageBench(const std::string& checkpoint, memory::DeviceSpec device)
    : bench_(std::move(device)), model_(bench_.load(checkpoint)) {}

DenoiseRequest ImageBench::request(const std::string& prompt, const std::string& negative) {
    return request({.prompt = prompt, .negative = negative});
}

DenoiseRequest ImageBench::request(EncodeRequest prompts) {
    const models::Model& model = ModelBench::modelOf(model_);
    std::vector<std::shared_ptr<const memory::ComponentTree>> encoders;
    for (const std::string& role : models::rolesIn(model, models::kTextEncoders)) {
        encoders.push_back(model.tree(role));
    }
    prompts.model = model_;
    EncodeResult encoded;
    bench_.runWith(encoders, [&] {
        encoded = testing::encodePrompt(stages(), prompts, bench_.call("encode"));
    });
    return {.model = model_, .positive = encoded.positive, .negative = encoded.negative};
}

WireRef ImageBench::emptyLatent(int64_t width, int64_t height, int64_t batch) {
    return testing::run(
               stages(),
               EmptyLatentRequest{.widthPixels = width, .heightPixels = height, .batch = batch},
               {})
        .front();
}

WireRef ImageBench::denoise(const DenoiseRequest& request) {
    WireRef result;
    bench_.runWith(model_, models::kDenoiser, [&] {
        result = testing::run(stages(), request, bench_.call("denoise")).front();
    });
    return result;
}

WireRef ImageBench::upscale(const LatentUpscaleRequest& request) {
    WireRef result;
    // The node has no component; this one only makes a run of it.
    bench_.runWith(model_, models::kDenoiser, [&] {
        result = testing::run(stages(), request, bench_.call("upscale")).front();
    });
    return result;
}

WireRef ImageBench::decode(const WireRef& latent) {
    WireRef result;
    bench_.runWith(model_, models::kAutoencoder, [&] {
        result =
            testing::run(
                stages(), DecodeRequest{.model = model_, .latent = latent}, bench_.call("decode"))
                .front();
    });
    return result;
}

at::Tensor ImageBench::samplesOf(const WireRef& latent) {
    return tensor::spill(dynamic_cast<const tensor::Latents&>(*latent).samples());
}

at::Tensor ImageBench::pixelsOf(const WireRef& image) {
    return tensor::spill(dynamic_cast<const tensor::Images&>(*image).pixels());
}

}  // namespace lowtide::testing
