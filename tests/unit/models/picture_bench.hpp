#pragma once

#include "tests/unit/models/model_bench.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace lowtide::testing {

/// From prompts to pictures over one checkpoint, stage by stage.
class PictureBench {
public:
    /// `checkpoint`: as Stages::loadCheckpoint takes it.
    explicit PictureBench(const std::string& checkpoint, memory::DeviceSpec device = {});

    [[nodiscard]] ModelBench& bench() { return bench_; }

    [[nodiscard]] models::Stages& stages() { return bench_.stages(); }

    [[nodiscard]] const models::WireRef& model() const { return model_; }

    /// Model and encoded prompts; the rest is the caller's.
    [[nodiscard]] models::DenoiseRequest request(const std::string& prompt,
                                                 const std::string& negative);
    /// The same of prompts by all text encoders; the model is filled in.
    [[nodiscard]] models::DenoiseRequest request(models::EncodeRequest prompts);
    [[nodiscard]] models::WireRef emptyLatent(int64_t width, int64_t height, int64_t batch = 1);
    [[nodiscard]] models::WireRef denoise(const models::DenoiseRequest& request);
    [[nodiscard]] models::WireRef upscale(const models::LatentUpscaleRequest& request);
    [[nodiscard]] models::WireRef decode(const models::WireRef& latent);

    /// On the host.
    [[nodiscard]] static at::Tensor samplesOf(const models::WireRef& latent);
    [[nodiscard]] static at::Tensor pixelsOf(const models::WireRef& image);

private:
    ModelBench bench_;
    models::WireRef model_;
};

}  // namespace lowtide::testing
