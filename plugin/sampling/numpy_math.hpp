#pragma once
// Arithmetic of numpy 2 that the reference's schedules depend on, to the last bit: a timestep that
// is cut to a whole number jumps by one when a logarithm before it is rounded the other way.

#include <cstdint>
#include <vector>

namespace lowtide::sampling::numpy {

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
