#pragma once
// What is measured between steps: how much tensors changed, and the time in which they change
// evenly.

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace lowtide::sampling {

/// mean |now - before| / mean |before|; one number fetched from the device. Not finite where
/// `before` is 0. Source: First Block Cache of diffusers 0.42.1.
[[nodiscard]] double relativeChange(const at::Tensor& now, const at::Tensor& before);

/// Mean ratio of the lengths of the vectors along dimension `channels`, those of `now` over those
/// of `before`: 0-d f32 on their device. Source: the calibration of MagCache in diffusers 0.42.1,
/// where channels are the last dimension.
[[nodiscard]] at::Tensor lengthRatio(const at::Tensor& now,
                                     const at::Tensor& before,
                                     int64_t channels);

/// Predicts how far the network's output has moved since the last computed step from how far its
/// input has: outputs move `rate` times as far as inputs, as they last did. Everything remains on
/// the device. Source: EasyCache, Zhou et al. 2025.
class OutputChange {
public:
    /// Expected change of the output relative to its size; one number fetched from the device. Not
    /// a number while the rate is unknown: before the second computed step, and after reset().
    [[nodiscard]] double expected(const at::Tensor& input) const;
    /// Input and output of a computed step. They are kept and never written to.
    void observe(const at::Tensor& input, const at::Tensor& output);

    /// Forgets all: the rate is unknown again.
    void reset() { *this = OutputChange(); }

    /// Input and output that it keeps; the other tensors have one number.
    [[nodiscard]] std::vector<at::Tensor> held() const;

private:
    at::Tensor input_;
    at::Tensor output_;
    at::Tensor size_;  ///< 0-d: mean |output|
    at::Tensor rate_;  ///< 0-d; undefined: unknown
};

/// -log(sigma): the time in which outputs of denoisers change evenly. Nothing where sigma is not
/// above 0 or not finite: such a step has no position among the others.
[[nodiscard]] std::optional<double> logSigmaTime(double sigma);

}  // namespace lowtide::sampling
