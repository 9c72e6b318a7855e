// UniPC: a predictor and a corrector of one form.

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace lowtide::sampling::solvers_list {

namespace {

enum class UniPcB : uint8_t { Bh1, Bh2 };

/// Signal of latents that keep their variance, of every process.
double keptSignal(double sigma) {
    return 1 / std::sqrt(1 + sigma * sigma);
}

struct UniPcCall {
    double sigma;
    at::Tensor clean;
};

using UniPcCalls = std::deque<UniPcCall>;  ///< newest first

/// The weights w of differences with sum over j of ratios[j]^k w[j] = values[k].
std::vector<double> solvedWeights(const std::vector<double>& ratios,
                                  const std::vector<double>& values) {
    const size_t count = ratios.size();
    std::vector<std::vector<double>> rows;
    for (size_t k = 0; k < count; ++k) {
        std::vector<double> row;
        for (const double ratio : ratios) {
            row.push_back(std::pow(ratio, static_cast<double>(k)));
        }
        row.push_back(values[k]);
        rows.push_back(std::move(row));
    }
    for (size_t pivot = 0; pivot < count; ++pivot) {  // the ratios differ: no pivot is 0
        for (size_t row = 0; row < count; ++row) {
            const double factor = row == pivot ? 0 : rows[row][pivot] / rows[pivot][pivot];
            for (size_t column = pivot; column <= count; ++column) {
                rows[row][column] -= factor * rows[pivot][column];
            }
        }
    }
    std::vector<double> weights;
    for (size_t row = 0; row < count; ++row) {
        weights.push_back(rows[row][count] / rows[row][row]);
    }
    return weights;
}

/// One step from the newest call to a level.
class UniPcStep {
public:
    UniPcStep(
        const at::Tensor& latents, const UniPcCalls& calls, double to, size_t order, UniPcB kind)
        : newest_(calls.front().clean) {
        const double from = calls.front().sigma;
        const double length = std::log(from / to);
        const double first = std::expm1(-length);
        scale_ = keptSignal(to) * (kind == UniPcB::Bh2 ? first : -length);
        base_ = latents * (to * keptSignal(to) / (from * keptSignal(from))) -
                newest_ * (keptSignal(to) * first);
        for (size_t j = 1; j < order; ++j) {
            const double ratio = std::log(from / calls[j].sigma) / length;
            ratios_.push_back(ratio);
            differences_.push_back((calls[j].clean - newest_) / ratio);
        }
        double factorial = 1;
        double phi = first / -length - 1;
        for (size_t k = 1; k <= order; ++k) {
            values_.push_back(phi * factorial / (kind == UniPcB::Bh2 ? first : -length));
            factorial *= static_cast<double>(k + 1);
            phi = phi / -length - 1 / factorial;
        }
    }

    [[nodiscard]] at::Tensor predicted() const {
        std::vector<double> weights = {kHalf};
        if (ratios_.size() != 1) {
            weights = solvedWeights(ratios_, values_);
        }
        return base_ - sum(weights);
    }

    /// With the clean latents that the network made of predicted().
    [[nodiscard]] at::Tensor corrected(const at::Tensor& made) const {
        std::vector<double> weights = {kHalf};
        if (!ratios_.empty()) {
            std::vector<double> ratios = ratios_;
            ratios.push_back(1);
            weights = solvedWeights(ratios, values_);
        }
        return base_ - sum(weights) - (made - newest_) * (scale_ * weights.back());
    }

private:
    static constexpr double kHalf = 0.5;

    [[nodiscard]] at::Tensor sum(const std::vector<double>& weights) const {
        at::Tensor total = at::zeros_like(base_);
        for (size_t j = 0; j < differences_.size(); ++j) {
            total = total + differences_[j] * (scale_ * weights[j]);
        }
        return total;
    }

    at::Tensor newest_;
    at::Tensor base_;
    double scale_ = 0;
    std::vector<double> ratios_;
    std::vector<at::Tensor> differences_;
    std::vector<double> values_;
};

/// Source: Zhao et al. 2023 (arXiv 2302.04867), algorithms 1 and 2, in the form that predicts clean
/// latents, on latents that keep their variance. With one step nothing is denoised.
at::Tensor solvePredictorCorrector(const SolverRun& run, at::Tensor latents, UniPcB kind) {
    constexpr size_t kOrder = 3;
    const size_t steps = run.steps();
    const size_t order = std::min(kOrder, steps - 1);
    const auto clean = [&](const at::Tensor& kept, double sigma) {
        return run.clean(kept / keptSignal(sigma), sigma);
    };
    latents = latents * keptSignal(run.sigmas.front());
    UniPcCalls calls = {{run.sigmas.front(), clean(latents, run.sigmas.front())}};
    if (order == 0) {
        return latents / keptSignal(run.sigmas.back());
    }
    for (size_t i = 1; i <= steps; ++i) {
        const double to = run.sigmas[i];
        const UniPcStep step(latents, calls, to, std::min({order, i, steps + 1 - i}), kind);
        latents = step.predicted();
        if (i == steps) {
            break;
        }
        const at::Tensor made = clean(latents, to);
        latents = step.corrected(made);
        calls.push_front({to, made});
        if (calls.size() > kOrder) {
            calls.pop_back();
        }
    }
    return latents / keptSignal(run.sigmas.back());
}

at::Tensor solveUniPc(const SolverRun& run, at::Tensor latents) {
    return solvePredictorCorrector(run, std::move(latents), UniPcB::Bh1);
}

at::Tensor solveUniPcBh2(const SolverRun& run, at::Tensor latents) {
    return solvePredictorCorrector(run, std::move(latents), UniPcB::Bh2);
}

constexpr double kUniPcEnd = 0.001;  ///< its logarithm is taken

}  // namespace

SolverType unipc() {
    return {.name = "unipc",
            .label = "UniPC",
            .solve = solveUniPc,
            .dropsPenultimate = true,
            .end = kUniPcEnd};
}

SolverType unipc_bh2() {
    return {.name = "unipc_bh2",
            .label = "UniPC bh2",
            .solve = solveUniPcBh2,
            .dropsPenultimate = true,
            .end = kUniPcEnd};
}

}  // namespace lowtide::sampling::solvers_list
