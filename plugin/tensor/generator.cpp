#include "plugin/tensor/generator.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace lowtide::tensor {

NoiseGenerator::NoiseGenerator(uint64_t seed)
    : generator_(at::make_generator<at::CPUGeneratorImpl>(seed)) {}

at::Tensor NoiseGenerator::draw(at::IntArrayRef shape) {
    return at::randn(shape, generator_, at::TensorOptions().dtype(at::kFloat).device(at::kCPU));
}

at::Tensor NoiseGenerator::state() const {
    return generator_.get_state();
}

Bytes NoiseGenerator::stateBytes() {
    static const auto bytes = static_cast<Bytes>(NoiseGenerator(0).state().nbytes());
    return bytes;
}

void NoiseGenerator::setState(const at::Tensor& state) {
    generator_.set_state(state);
}

}  // namespace lowtide::tensor
