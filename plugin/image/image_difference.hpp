#pragma once
// Figures that measure how one image differs from another: each answers one question.

#include "plugin/host_api/host.hpp"

#include <optional>
#include <vector>

namespace lowtide::image {

/// Side of the squares that colour shift and worst tile look at; at the right and at the bottom
/// they may be smaller.
inline constexpr int kDifferenceTilePixels = 32;

/// The square of an image that differs most.
struct WorstTile {
    int xPixels = 0;
    int yPixels = 0;
    double psnr = 0;  ///< dB; infinite where nothing differs
};

struct ImageDifference {
    /// How large the error is: 10 log10(255^2 / mean squared error) over all channels, in dB;
    /// infinite for equal images.
    double psnr = 0;
    /// How alike the structures are, see structuralSimilarity().
    std::optional<double> ssim;
    /// How much sharper the image is: energy of its edges (squared Sobel gradients of the luma,
    /// Rec. 601) over that of the reference's; 1 where both have none, infinite where only the
    /// reference has none.
    double edgeEnergyRatio = 1;
    /// How far the colours moved: CIEDE2000 between the mean levels of each tile, averaged over the
    /// image. Detail that comes or goes inside of a tile does not move it.
    double colourShift = 0;
    WorstTile worst;
};

/// How `image` differs from `reference`, both 8-bit with 1, 3 or 4 channels (alpha is left out).
/// Error{InvalidInput} names both sizes when they differ.
[[nodiscard]] ImageDifference difference(const Image8& reference, const Image8& image);

/// CIEDE2000 of every pixel, rows from the top; images and error as above.
[[nodiscard]] std::vector<float> colourDifferences(const Image8& reference, const Image8& image);

}  // namespace lowtide::image
