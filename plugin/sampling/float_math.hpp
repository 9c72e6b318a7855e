#pragma once

namespace lowtide::sampling {

/// ATen's functions of one float32, as the reference applies them to numbers of its schedule: their
/// last bit differs from that of the C library.
[[nodiscard]] float logarithm(float x);
[[nodiscard]] float exponential(float x);
/// exp(x) - 1 without the loss near 0.
[[nodiscard]] float exponentialMinusOne(float x);
/// x to the power 0.5, which in ATen is not always the rounded square root.
[[nodiscard]] float root(float x);

}  // namespace lowtide::sampling
