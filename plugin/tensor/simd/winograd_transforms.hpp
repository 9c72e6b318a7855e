#pragma once
// The three transforms of Winograd's F(4x4, 3x3): a tile of 6 x 6 pixels and a kernel of 3 x 3
// become 36 numbers each, whose products become 4 x 4 pixels. Interpolated at 0, +-5/8, +-3/2 and
// infinity, which loses half as many bits as the usual 0, +-1, +-2.
// Source: Lavin and Gray 2015; the points: oneDNN's convolutions of f32.

#include "plugin/tensor/simd/vectors.hpp"

namespace lowtide::tensor::simd {
namespace {

constexpr int kTile = 4;            ///< pixels of a side of the result
constexpr int kWindow = kTile + 2;  ///< and of what it is made from
constexpr int kProducts = kWindow * kWindow;
constexpr int kTaps = 9;

constexpr float kNear = 0.625F;  ///< the points are 0, +-kNear, +-kFar and infinity
constexpr float kFar = 1.5F;
constexpr float kNear2 = kNear * kNear;
constexpr float kFar2 = kFar * kFar;

/// Six numbers of a row or column of pixels, in place.
inline void transformPixels(
    Vector& x0, Vector& x1, Vector& x2, Vector& x3, Vector& x4, Vector& x5) {
    const Vector nearEven = x4 - kFar2 * x2;
    const Vector nearOdd = kNear * (x3 - kFar2 * x1);
    const Vector farEven = x4 - kNear2 * x2;
    const Vector farOdd = kFar * (x3 - kNear2 * x1);
    x0 = kNear2 * kFar2 * x0 + (x4 - (kNear2 + kFar2) * x2);
    x5 = kNear2 * kFar2 * x1 + (x5 - (kNear2 + kFar2) * x3);
    x1 = nearEven + nearOdd;
    x2 = nearEven - nearOdd;
    x3 = farEven + farOdd;
    x4 = farEven - farOdd;
}

/// Three taps of a row or column of a kernel become six.
inline void transformTaps(Vector g0, Vector g1, Vector g2, Vector* out) {
    constexpr float kNearScale = 1 / (2 * kNear2 * (kNear2 - kFar2));
    constexpr float kFarScale = 1 / (2 * kFar2 * (kFar2 - kNear2));
    const Vector nearEven = (g0 + kNear2 * g2) * kNearScale;
    const Vector nearOdd = g1 * (kNear * kNearScale);
    const Vector farEven = (g0 + kFar2 * g2) * kFarScale;
    const Vector farOdd = g1 * (kFar * kFarScale);
    out[0] = g0 * (1 / (kNear2 * kFar2));
    out[1] = nearEven + nearOdd;
    out[2] = nearEven - nearOdd;
    out[3] = farEven + farOdd;
    out[4] = farEven - farOdd;
    out[5] = g2;
}

/// Six products of a row or column become four pixels.
inline void transformProducts(
    Vector m0, Vector m1, Vector m2, Vector m3, Vector m4, Vector m5, Vector* out) {
    const Vector nearSum = m1 + m2;
    const Vector nearDifference = m1 - m2;
    const Vector farSum = m3 + m4;
    const Vector farDifference = m3 - m4;
    out[0] = m0 + (nearSum + farSum);
    out[1] = kNear * nearDifference + kFar * farDifference;
    out[2] = kNear2 * nearSum + kFar2 * farSum;
    out[3] = (kNear2 * kNear) * nearDifference + ((kFar2 * kFar) * farDifference + m5);
}

/// The whole square of pixels, in place.
inline void transformWindow(Vector (&x)[kProducts]) {
#pragma GCC unroll 6
    for (int i = 0; i < kWindow; ++i) {
        transformPixels(x[i], x[6 + i], x[12 + i], x[18 + i], x[24 + i], x[30 + i]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < kProducts; i += kWindow) {
        transformPixels(x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]);
    }
}

/// Nine taps of as many kernels as there are lanes, each product `outStep` numbers from the last.
inline void transformKernel(const Vector* taps, float* out, int64_t outStep) {
    Vector columns[3][kWindow];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        transformTaps(taps[i], taps[3 + i], taps[6 + i], columns[i]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < kWindow; ++i) {
        Vector row[kWindow];
        transformTaps(columns[0][i], columns[1][i], columns[2][i], row);
#pragma GCC unroll 6
        for (int j = 0; j < kWindow; ++j) {
            store(out + (i * kWindow + j) * outStep, row[j]);
        }
    }
}

/// Products, each `step` numbers from the last, to four rows of four pixels.
inline void transformBack(const float* products, int64_t step, Vector (&pixels)[kTile * kTile]) {
    Vector columns[kWindow][kTile];
#pragma GCC unroll 6
    for (int j = 0; j < kWindow; ++j) {
        const float* m = products + j * step;
        const int64_t row = kWindow * step;
        transformProducts(load(m),
                          load(m + row),
                          load(m + 2 * row),
                          load(m + 3 * row),
                          load(m + 4 * row),
                          load(m + 5 * row),
                          columns[j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < kTile; ++i) {
        transformProducts(columns[0][i],
                          columns[1][i],
                          columns[2][i],
                          columns[3][i],
                          columns[4][i],
                          columns[5][i],
                          &pixels[i * kTile]);
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
