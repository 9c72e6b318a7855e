#include "plugin/sampling/dpm_update.hpp"

#include "plugin/sampling/float_math.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling {

namespace {

at::Tensor deterministic(const DpmMethod& method,
                         const at::Tensor& latents,
                         const Level& from,
                         const Level& to,
                         const DpmPolynomial& clean) {
    const float distance = to.lambda - from.lambda;
    const float decay = exponential(-distance) - 1;
    const float factor = to.signal * decay;
    at::Tensor moved = latents * (to.noise / from.noise) - clean.value * factor;
    if (!clean.slope.defined()) {
        return moved;
    }
    if (!method.isHeun && !clean.isSlopeExact) {
        return moved - clean.slope * (0.5F * factor);
    }
    moved = moved + clean.slope * (to.signal * (decay / distance + 1));
    if (!clean.curvature.defined()) {
        return moved;
    }
    const float weight = (decay + distance) / (distance * distance) - 0.5F;
    return moved - clean.curvature * (to.signal * weight);
}

at::Tensor stochastic(const DpmMethod& method,
                      const at::Tensor& latents,
                      const Level& from,
                      const Level& to,
                      const DpmPolynomial& clean,
                      const at::Tensor& noise) {
    const float distance = to.lambda - from.lambda;
    const float twice = 2 * distance;
    const float gain = 1 - exponential(-twice);
    at::Tensor moved = latents * (to.noise / from.noise * exponential(-distance)) +
                       clean.value * (to.signal * gain);
    if (clean.slope.defined()) {
        const bool isHalf = !method.isHeun && !clean.isSlopeExact;
        const float weight = isHalf ? 0.5F * (to.signal * gain) : to.signal * (gain / -twice + 1);
        moved = moved + clean.slope * weight;
    }
    if (clean.curvature.defined()) {
        const float weight = (gain - twice) / (twice * twice) - 0.5F;
        moved = moved + clean.curvature * (to.signal * weight);
    }
    return moved + noise * (to.noise * std::sqrt(gain));
}

}  // namespace

DpmMethod readDpmMethod(const JsonReader& reader) {
    const std::string algorithm =
        readKind(reader, "algorithm_type", {"dpmsolver++", "sde-dpmsolver++"}, {"deis"});
    const std::string solver =
        readKind(reader, "solver_type", {"midpoint", "heun"}, {"logrho", "bh1", "bh2"});
    if (const auto variance = reader.text("variance_type");
        variance == "learned" || variance == "learned_range") {
        refuseSetting("variance_type", *variance, "models that predict no variance");
    }
    return {.isStochastic = algorithm == "sde-dpmsolver++", .isHeun = solver == "heun"};
}

at::Tensor dpmUpdate(const DpmMethod& method,
                     const at::Tensor& latents,
                     const Level& from,
                     const Level& to,
                     const DpmPolynomial& clean,
                     const at::Tensor& noise) {
    return method.isStochastic ? stochastic(method, latents, from, to, clean, noise)
                               : deterministic(method, latents, from, to, clean);
}

}  // namespace lowtide::sampling
