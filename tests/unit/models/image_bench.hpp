#pragma once

#include "tests/unit/models/model_bench.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace lowtide::testing {

/// From prompts to images over one checkpoint, stage by stage.
class ImageBench {
public:
    /// `checkpoint`: as Stages::loadCheckpoint takes it.
    explicit ImageBench(const std::string& checkpoint, memory::DeviceSpec device = {});

    [[nodiscard]] ModelBench& bench() { return bench_; }

    [[nodiscard]] nodes::Stages& stages() { return bench_.stages(); }

    [[nodiscard]] const nodes::WireRef& model() const { return model_; }

    /// Model and encoded prompts; the rest is the caller's.
    [[nodiscard]] DenoiseRequest request(const std::string& prompt, const std::string& negative);
    /// The same of prompts by all text encoders; the model is filled in.
    [[nodiscard]] DenoiseRequest request(EncodeRequest prompts);
    [[nodiscard]] nodes::WireRef emptyLatent(int64_t width, int64_t height, int64_t batch = 1);
    [[nodiscard]] nodes::WireRef denoise(const DenoiseRequest& request);
    [[nodiscard]] nodes::WireRef upscale(const LatentUpscaleRequest& request);
    [[nodiscard]] nodes::WireRef decode(const nodes::WireRef& latent);

    /// On the host.
    [[nodiscard]] static at::Tensor samplesOf(const nodes::WireRef& latent);
    [[nodiscard]] static at::Tensor pixelsOf(const nodes::WireRef& image);

private:
    ModelBench bench_;
    nodes::WireRef model_;
};

}  // namespace lowtide::testing
