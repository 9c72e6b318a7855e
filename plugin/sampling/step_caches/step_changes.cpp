#include "plugin/sampling/step_caches/step_changes.hpp"

#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace lowtide::sampling {

namespace {

constexpr double kShortest = 1e-8;  ///< keeps the ratio of lengths finite

/// On shapes alone at::abs has no kernel: what it would make stands in its place.
at::Tensor meanSize(const at::Tensor& value) {
    return at::mean(value.is_meta() ? at::empty_like(value) : at::abs(value));
}

}  // namespace

double relativeChange(const at::Tensor& now, const at::Tensor& before) {
    return tensor::scalar(meanSize(now - before) / meanSize(before));
}

at::Tensor lengthRatio(const at::Tensor& now, const at::Tensor& before, int64_t channels) {
    const auto lengths = [channels](const at::Tensor& value) {
        return at::linalg_vector_norm(value.to(at::kFloat), 2, at::IntArrayRef{channels});
    };
    return at::mean(lengths(now) / (lengths(before) + kShortest));
}

double OutputChange::expected(const at::Tensor& input) const {
    if (!rate_.defined()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return tensor::scalar(rate_ * meanSize(input - input_) / size_);
}

void OutputChange::observe(const at::Tensor& input, const at::Tensor& output) {
    if (output_.defined()) {
        rate_ = meanSize(output - output_) / meanSize(input - input_);
    }
    input_ = input;
    output_ = output;
    size_ = meanSize(output);
}

std::vector<at::Tensor> OutputChange::held() const {
    return input_.defined() ? std::vector<at::Tensor>{input_, output_} : std::vector<at::Tensor>{};
}

std::optional<double> logSigmaTime(double sigma) {
    if (!std::isfinite(sigma) || sigma <= 0) {
        return std::nullopt;
    }
    return -std::log(sigma);
}

}  // namespace lowtide::sampling
