#include "plugin/sampling/step_caches/step_predictor.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lowtide::sampling {

/// A tensor and when it was computed.
struct Observation {
    double time = 0;
    at::Tensor value;
};

/// The newest observations of a pass, at most a given number, oldest first.
class Observations {
public:
    explicit Observations(size_t most) : most_(most) {}

    [[nodiscard]] size_t size() const { return entries_.size(); }

    [[nodiscard]] const Observation& operator[](size_t index) const { return entries_[index]; }

    [[nodiscard]] const Observation& newest() const { return entries_.back(); }

    /// Appends and forgets the oldest; replaces the newest when it has the same time.
    void push(double time, const at::Tensor& value);

    /// Forgets what the next push() of a new time pushes out.
    void makeSpace();

    [[nodiscard]] std::vector<double> times() const;
    [[nodiscard]] std::vector<at::Tensor> values() const;

private:
    size_t most_;
    std::vector<Observation> entries_;
};

void Observations::push(double time, const at::Tensor& value) {
    LOWTIDE_ASSERT(entries_.empty() || value.sizes() == newest().value.sizes());
    if (!entries_.empty() && newest().time == time) {
        entries_.back().value = value;
        return;
    }
    makeSpace();
    entries_.push_back({.time = time, .value = value});
}

void Observations::makeSpace() {
    if (entries_.size() == most_) {
        entries_.erase(entries_.begin());
    }
}

std::vector<double> Observations::times() const {
    std::vector<double> result;
    for (const Observation& entry : entries_) {
        result.push_back(entry.time);
    }
    return result;
}

std::vector<at::Tensor> Observations::values() const {
    std::vector<at::Tensor> result;
    for (const Observation& entry : entries_) {
        result.push_back(entry.value);
    }
    return result;
}

namespace {

class ReusePredictor final : public StepPredictor {
public:
    void observe(double /*time*/, const at::Tensor& value) override { value_ = value; }

    [[nodiscard]] bool isReady() const override { return value_.defined(); }

    [[nodiscard]] at::Tensor predict(double /*time*/) const override {
        LOWTIDE_ASSERT(isReady());
        return value_;
    }

    void makeSpace() override { value_.reset(); }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        return value_.defined() ? std::vector<at::Tensor>{value_} : std::vector<at::Tensor>{};
    }

    [[nodiscard]] int mostHeld() const override { return 1; }

private:
    at::Tensor value_;
};

}  // namespace

std::unique_ptr<StepPredictor> reusePredictor() {
    return std::make_unique<ReusePredictor>();
}

namespace {

constexpr int kMostTaylorHeld = 2;

class TaylorPredictor final : public StepPredictor {
public:
    void observe(double time, const at::Tensor& value) override { seen_.push(time, value); }

    [[nodiscard]] bool isReady() const override { return seen_.size() > 0; }

    [[nodiscard]] at::Tensor predict(double time) const override {
        LOWTIDE_ASSERT(isReady());
        const Observation& newest = seen_.newest();
        if (seen_.size() < kMostTaylorHeld) {
            return newest.value;
        }
        const Observation& before = seen_[0];
        // The order of the reference's operations: its bits.
        const at::Tensor slope = (newest.value - before.value) / (newest.time - before.time);
        return newest.value + slope * (time - newest.time);
    }

    void makeSpace() override { seen_.makeSpace(); }

    [[nodiscard]] std::vector<at::Tensor> held() const override { return seen_.values(); }

    [[nodiscard]] int mostHeld() const override { return kMostTaylorHeld; }

private:
    Observations seen_{kMostTaylorHeld};
};

}  // namespace

std::unique_ptr<StepPredictor> taylorPredictor() {
    return std::make_unique<TaylorPredictor>();
}

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

    void makeSpace() override { seen_.makeSpace(); }

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
