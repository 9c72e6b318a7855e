#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lowtide::sampling {

namespace solvers_list {
#define LOWTIDE_SOLVER(name) SolverType name();
#include "plugin/sampling/solvers/solver_list.inc"
#undef LOWTIDE_SOLVER
}  // namespace solvers_list

double SolverRun::logSnr(double sigma) const {
    if (sigma == 0) {
        return std::numeric_limits<double>::infinity();
    }
    return isFlow ? std::log((1 - sigma) / sigma) : -std::log(sigma);
}

double SolverRun::sigmaOf(double logSnr) const {
    return isFlow ? 1 / (std::exp(logSnr) + 1) : std::exp(-logSnr);
}

std::vector<double> SolverRun::withSignal() const {
    constexpr double kFirst = 0.0001;
    std::vector<double> levels = sigmas;
    if (isFlow && levels.front() >= 1) {
        levels.front() = static_cast<float>(sigmaAfter(kFirst));
    }
    return levels;
}

std::span<const SolverType> solvers() {
    static const std::vector<SolverType> kTypes = {
#define LOWTIDE_SOLVER(name) solvers_list::name(),
#include "plugin/sampling/solvers/solver_list.inc"
#undef LOWTIDE_SOLVER
    };
    return kTypes;
}

const SolverType* solverNamed(const std::string& name) {
    const auto all = solvers();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& type) { return type.name == name; });
    return found == all.end() ? nullptr : &*found;
}

Ancestral ancestral(double from, double to) {
    if (std::isinf(from)) {
        return {.down = 0, .up = to};
    }
    const double up = std::min(to, to * std::sqrt(from * from - to * to) / from);
    return {.down = std::sqrt(std::max(to * to - up * up, 0.0)), .up = up};
}

FlowAncestral flowAncestral(double from, double to) {
    const double down = to * to / from;
    const double scale = (1 - to) / (1 - down);
    const double kept = down * scale;
    return {.down = down, .up = std::sqrt(std::max(to * to - kept * kept, 0.0)), .scale = scale};
}

double lagrange(std::span<const double> positions, size_t j, double at) {
    double value = 1;
    for (size_t k = 0; k < positions.size(); ++k) {
        value *= k == j ? 1 : (at - positions[k]) / (positions[j] - positions[k]);
    }
    return value;
}

}  // namespace lowtide::sampling
