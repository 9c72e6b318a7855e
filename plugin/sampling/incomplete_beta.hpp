#pragma once

namespace lowtide::sampling {

/// Regularised incomplete beta function I_x(a, b), the share of the beta distribution below x.
/// Domain: 0 <= x <= 1, a > 0, b > 0. Error below 1e-13.
[[nodiscard]] double incompleteBeta(double x, double a, double b);
/// Its inverse: the x below which the share `probability` lies (scipy.stats.beta.ppf). Error below
/// 1e-12.
[[nodiscard]] double inverseIncompleteBeta(double probability, double a, double b);

}  // namespace lowtide::sampling
