#include "tests/unit/models/image_values.hpp"

#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

namespace lowtide::testing {

using nodes::WireRef;

WireRef imageOf(const at::Tensor& pixels) {
    return std::make_shared<const tensor::Images>(pixels, tensor::Provenance{});
}

WireRef maskOf(const at::Tensor& values) {
    return std::make_shared<const tensor::Masks>(values);
}

WireRef latentOf(at::IntArrayRef shape) {
    return std::make_shared<const tensor::Latents>(at::zeros(shape), tensor::Provenance{});
}

at::Tensor testImage(int64_t height, int64_t width, int64_t batch) {
    const at::Tensor positions = at::arange(batch * 3 * height * width, at::kFloat);
    return (at::sin(positions * 0.05) * 0.4 + 0.5).view({batch, 3, height, width});
}

at::Tensor leftHalf(int64_t height, int64_t width) {
    at::Tensor mask = at::zeros({1, 1, height, width});
    mask.narrow(3, 0, width / 2).fill_(1);
    return mask;
}

const tensor::Latents& latentsOf(const WireRef& value) {
    return dynamic_cast<const tensor::Latents&>(*value);
}

WireRef encode(ModelBench& bench,
               const ImageEncodeRequest& request,
               const std::optional<nodes::StageCall>& call) {
    WireRef result;
    bench.runWith(request.model, models::kAutoencoder, [&] {
        result = testing::run(bench.stages(), request, call ? *call : bench.call("encode")).front();
    });
    return result;
}

WireRef denoise(ModelBench& bench,
                const DenoiseRequest& request,
                const std::optional<nodes::StageCall>& call) {
    WireRef result;
    bench.runWith(request.model, models::kDenoiser, [&] {
        result =
            testing::run(bench.stages(), request, call ? *call : bench.call("denoise")).front();
    });
    return result;
}

DenoiseRequest imageRequest(const WireRef& model) {
    const models::ModelInfo& info = ModelBench::modelOf(model).info();
    const WireRef words = std::make_shared<const tensor::Conditioning>(
        at::zeros(ModelBench::wordsShape(model)), at::Tensor(), "a cat", -1);
    const int64_t factor = info.latent.factor;
    DenoiseRequest request{.model = model,
                           .positive = words,
                           .negative = words,
                           .latent = latentOf({1, 4, 16 / factor, 32 / factor}),
                           .steps = 4,
                           .cfg = 3,
                           .seed = 5,
                           .sampler = "ddim",
                           .strength = 0.5};
    if (info.fillsMasks) {
        request.mask = maskOf(leftHalf(16, 32));
        request.masked = request.latent;
    }
    return request;
}

DenoiseShapes shapesOf(const DenoiseRequest& request) {
    const auto conditioning = [](const WireRef& value) {
        return dynamic_cast<const tensor::Conditioning&>(*value).tensor("embeds").sizes().vec();
    };
    DenoiseShapes shapes{.positive = conditioning(request.positive),
                         .negative = conditioning(request.negative)};
    const auto shapeOf = [](const WireRef& value) -> Shape {
        const auto* latents = dynamic_cast<const tensor::Latents*>(value.get());
        return latents ? Shape(latents->samples().sizes().vec()) : Shape();
    };
    if (const Shape shape = shapeOf(request.latent); !shape.empty()) {
        shapes.latent = shape;
    } else {
        shapes.latentKind = emptyLatentSpec(32, 16);
    }
    if (const auto* mask = dynamic_cast<const tensor::Masks*>(request.mask.get())) {
        shapes.mask = mask->values().sizes().vec();
    }
    shapes.masked = shapeOf(request.masked);
    return shapes;
}

}  // namespace lowtide::testing
