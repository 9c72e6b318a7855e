#pragma once
// Arithmetic that decides last bits: numpy's (a timestep that is cut to a whole number jumps when a
// logarithm is rounded the other way), ATen's of one float32, and the incomplete beta function.

#include <cstdint>
#include <vector>

namespace lowtide::sampling::numpy {

// Arithmetic of numpy 2 that the reference's schedules depend on, to the last bit: a timestep that
// is cut to a whole number jumps by one when a logarithm before it is rounded the other way.

/// `count` evenly spaced numbers from `start` to `stop`, both included; `start` alone for one.
[[nodiscard]] std::vector<double> linspace(double start, double stop, int64_t count);
/// Numbers from `start` down by `step` while they are above 0, at most `limit` of them.
/// numpy.arange gives one more when start / step is rounded up (61 steps of 1000); that surplus
/// step to noise level 0 is left out.
[[nodiscard]] std::vector<double> fallingRange(double start, double step, int64_t limit);
/// Piecewise linear value of `table` at `x`, whose abscissas are 0, 1, 2, ...; the ends continue.
[[nodiscard]] double interpolate(double x, const std::vector<float>& table);
/// To the nearest whole number, halves to even.
[[nodiscard]] double roundHalfEven(double x);
/// numpy.log of a float32 array on x86-64 with FMA, for positive normal x: a quotient of two
/// polynomials of degree 5 that is up to 4 units in the last place away from the rounded logarithm.
/// Coefficients: numpy, npy_simd_data.h.
[[nodiscard]] float log(float x);

}  // namespace lowtide::sampling::numpy

namespace lowtide::sampling {

/// ATen's functions of one float32, as the reference applies them to numbers of its schedule: their
/// last bit differs from that of the C library.
[[nodiscard]] float logarithm(float x);
[[nodiscard]] float exponential(float x);
/// exp(x) - 1 without the loss near 0.
[[nodiscard]] float exponentialMinusOne(float x);
/// x to the power 0.5, which in ATen is not always the rounded square root.
[[nodiscard]] float root(float x);

/// Regularised incomplete beta function I_x(a, b), the fraction of the beta distribution below x.
/// Domain: 0 <= x <= 1, a > 0, b > 0. Error below 1e-13.
[[nodiscard]] double incompleteBeta(double x, double a, double b);
/// Its inverse: the x below which the fraction `probability` lies (scipy.stats.beta.ppf). Error
/// below 1e-12.
[[nodiscard]] double inverseIncompleteBeta(double probability, double a, double b);

}  // namespace lowtide::sampling
