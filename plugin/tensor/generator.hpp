#pragma once

#include "plugin/base/units.hpp"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lowtide::tensor {

/// The one source of noise: torch's CPU generator (mt19937), so that a seed means one image on
/// every device. Draws are always float32 (float64 draws another stream) and always whole batches.
/// Values equal torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed)).
class NoiseGenerator {
public:
    explicit NoiseGenerator(uint64_t seed);

    /// Standard normal values, f32 on the CPU.
    [[nodiscard]] at::Tensor draw(at::IntArrayRef shape);
    /// State as uint8 tensor on the CPU, for SamplerCarry.
    [[nodiscard]] at::Tensor state() const;
    void setState(const at::Tensor& state);
    /// Of every state().
    [[nodiscard]] static Bytes stateBytes();

private:
    at::Generator generator_;
};

}  // namespace lowtide::tensor
