#include "plugin/sampling/step_caches/predictors/spectrum_predictor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/setting_check.hpp"
#include "plugin/sampling/step_caches/predictors/observations.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

namespace {

constexpr int kMostSpectrumHeld = 6;
constexpr int kLeast = 2;

/// Chebyshev polynomials of degree 1 to `degree` at x.
std::vector<double> polynomials(double x, int degree) {
    std::vector<double> values = {1, x};
    while (static_cast<int>(values.size()) <= degree) {
        values.push_back(2 * x * values.back() - values[values.size() - 2]);
    }
    values.erase(values.begin());
    return values;
}

std::vector<double> minus(std::vector<double> values, const std::vector<double>& others) {
    std::transform(
        values.begin(), values.end(), others.begin(), values.begin(), std::minus<double>());
    return values;
}

at::Tensor row(const std::vector<double>& values) {
    return at::tensor(values, at::kDouble);
}

/// What the polynomials at `target` take of each row of `points`: points (P^T P + ridge)^-1 target.
std::vector<double> ridgeFactors(const std::vector<at::Tensor>& points,
                                 const at::Tensor& target,
                                 double ridge) {
    const at::Tensor design = at::stack(points);  // [K - 1, degree]
    const at::Tensor normal =
        at::matmul(design.t(), design) + ridge * at::eye(target.size(0), at::kDouble);
    const at::Tensor factors = at::matmul(design, at::linalg_solve(normal, target)).contiguous();
    const double* begin = factors.const_data_ptr<double>();
    return {begin, begin + factors.numel()};
}

class SpectrumPredictor final : public StepPredictor {
public:
    explicit SpectrumPredictor(const SpectrumSettings& settings) : settings_(settings) {
        checkSetting("degree", settings.degree, 1, kMostSpectrumHeld - 1);
        checkSetting("ridge", settings.ridge, 1e-12, 1e6);
        checkSetting("weight", settings.weight, 0, 1);
    }

    void observe(double time, const at::Tensor& value) override { seen_.push(time, value); }

    [[nodiscard]] bool isReady() const override { return seen_.size() >= kLeast; }

    [[nodiscard]] at::Tensor predict(double time) const override {
        LOWTIDE_ASSERT(isReady());
        const std::vector<double> factors = spectrumFactors(settings_, seen_.times(), time);
        at::Tensor sum = seen_[0].value * factors[0];
        for (size_t i = 1; i < factors.size(); ++i) {
            sum = sum + seen_[i].value * factors[i];
        }
        return sum;
    }

    void makeRoom() override { seen_.makeRoom(); }

    [[nodiscard]] std::vector<at::Tensor> held() const override { return seen_.values(); }

    [[nodiscard]] int mostHeld() const override { return kMostSpectrumHeld; }

private:
    SpectrumSettings settings_;
    Observations seen_{kMostSpectrumHeld};
};

}  // namespace

std::vector<double> spectrumFactors(const SpectrumSettings& settings,
                                    const std::vector<double>& times,
                                    double time) {
    const size_t count = times.size();
    LOWTIDE_ASSERT(count >= kLeast && settings.end != settings.begin);
    const int degree = std::min(settings.degree, static_cast<int>(count) - 1);
    const auto at = [&](double moment) {  // the pass lies from -1 to 1
        return polynomials(2 * (moment - settings.begin) / (settings.end - settings.begin) - 1,
                           degree);
    };
    const std::vector<double> newest = at(times.back());
    std::vector<at::Tensor> points;
    for (size_t i = 0; i + 1 < count; ++i) {
        points.push_back(row(minus(at(times[i]), newest)));
    }
    std::vector<double> factors =
        ridgeFactors(points, row(minus(at(time), newest)), settings.ridge);
    const double lead = (time - times[count - 1]) / (times[count - 1] - times[count - 2]);
    double sum = 0;
    for (size_t i = 0; i + 1 < count; ++i) {
        const double line = i + 2 == count ? -lead : 0;
        factors[i] = settings.weight * factors[i] + (1 - settings.weight) * line;
        sum += factors[i];
    }
    factors.push_back(1 - sum);
    return factors;
}

std::unique_ptr<StepPredictor> spectrumPredictor(const SpectrumSettings& settings) {
    return std::make_unique<SpectrumPredictor>(settings);
}

}  // namespace lowtide::sampling
