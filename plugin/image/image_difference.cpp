#include "plugin/image/image_difference.hpp"

#include "plugin/base/error.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/image/colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace lowtide::image {

/// How alike the structures of two 8-bit images of one size and number of channels are (SSIM): 1
/// where they are equal. Mean over the channels; empty where a side has fewer than 11 pixels.
/// Source: Wang et al. 2004 with its gaussian window of 11 x 11 and sigma 1.5; equal to
/// scikit-image's structural_similarity with gaussian_weights=True, sigma=1.5,
/// use_sample_covariance=False, data_range=255.
[[nodiscard]] std::optional<double> structuralSimilarity(const Image8& reference,
                                                         const Image8& image);

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string sizeText(const Image8& image) {
    return std::to_string(image.widthPixels) + " x " + std::to_string(image.heightPixels);
}

void checkSizes(const Image8& reference, const Image8& image) {
    if (reference.widthPixels != image.widthPixels ||
        reference.heightPixels != image.heightPixels) {
        throw Error(ErrorKind::InvalidInput,
                    message("an image of {} pixels cannot be compared with one of {}",
                            sizeText(image),
                            sizeText(reference)),
                    message("compare images of one size"));
    }
}

/// The same image with three channels.
Image8 inColour(const Image8& image) {
    if (image.channels == 3) {
        return image;
    }
    const size_t count =
        static_cast<size_t>(image.widthPixels) * static_cast<size_t>(image.heightPixels);
    const auto channels = static_cast<size_t>(image.channels);
    const auto pixels = std::make_shared<uint8_t[]>(3 * count);
    for (size_t i = 0; i < count; ++i) {
        for (size_t channel = 0; channel < 3; ++channel) {
            pixels[3 * i + channel] = image.pixels[channels * i + (channels == 1 ? 0 : channel)];
        }
    }
    return {.widthPixels = image.widthPixels,
            .heightPixels = image.heightPixels,
            .channels = 3,
            .pixels = pixels};
}

const uint8_t* pixelAt(const Image8& image, int x, int y) {
    const auto found =
        static_cast<size_t>(y) * static_cast<size_t>(image.widthPixels) + static_cast<size_t>(x);
    return image.pixels.get() + 3 * found;
}

double psnrOf(double squaredError, double count) {
    return squaredError == 0 ? kInfinite : 10 * std::log10(255.0 * 255.0 * count / squaredError);
}

/// In thousandths of a level: whole numbers, so that flat images have no edges at all.
int lumaAt(const Image8& image, int x, int y) {
    const uint8_t* pixel = pixelAt(image, x, y);
    return 299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2];
}

/// Where the Sobel operator fits.
double edgeEnergy(const Image8& image) {
    double energy = 0;
    for (int y = 1; y + 1 < image.heightPixels; ++y) {
        for (int x = 1; x + 1 < image.widthPixels; ++x) {
            const auto luma = [&](int right, int down) {
                return lumaAt(image, x + right, y + down);
            };
            const int across = luma(1, -1) + 2 * luma(1, 0) + luma(1, 1) - luma(-1, -1) -
                               2 * luma(-1, 0) - luma(-1, 1);
            const int along = luma(-1, 1) + 2 * luma(0, 1) + luma(1, 1) - luma(-1, -1) -
                              2 * luma(0, -1) - luma(1, -1);
            energy += static_cast<double>(across) * across + static_cast<double>(along) * along;
        }
    }
    return energy;
}

double ratioOf(double energy, double referenceEnergy) {
    if (referenceEnergy > 0) {
        return energy / referenceEnergy;
    }
    return energy > 0 ? kInfinite : 1;
}

/// What is summed over a tile.
struct TileSums {
    double squaredError = 0;
    double pixels = 0;
    std::array<double, 3> reference{};
    std::array<double, 3> image{};

    [[nodiscard]] double colourShift() const {
        const auto mean = [this](const std::array<double, 3>& sums) {
            return labOfSrgb(sums[0] / pixels, sums[1] / pixels, sums[2] / pixels);
        };
        return ciede2000(mean(reference), mean(image));
    }
};

TileSums sumTile(const Image8& reference, const Image8& image, int left, int top) {
    TileSums sums;
    const int right = std::min(left + kDifferenceTilePixels, reference.widthPixels);
    const int bottom = std::min(top + kDifferenceTilePixels, reference.heightPixels);
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            const uint8_t* one = pixelAt(reference, x, y);
            const uint8_t* two = pixelAt(image, x, y);
            for (size_t channel = 0; channel < 3; ++channel) {
                const double error = one[channel] - two[channel];
                sums.squaredError += error * error;
                sums.reference[channel] += one[channel];
                sums.image[channel] += two[channel];
            }
        }
    }
    sums.pixels = static_cast<double>(right - left) * (bottom - top);
    return sums;
}

/// Fills in psnr, colourShift and worst.
void sumTiles(const Image8& reference, const Image8& image, ImageDifference& result) {
    double squaredError = 0;
    double shift = 0;
    double pixels = 0;
    double worst = -1;
    for (int y = 0; y < reference.heightPixels; y += kDifferenceTilePixels) {
        for (int x = 0; x < reference.widthPixels; x += kDifferenceTilePixels) {
            const TileSums tile = sumTile(reference, image, x, y);
            squaredError += tile.squaredError;
            shift += tile.colourShift() * tile.pixels;
            pixels += tile.pixels;
            if (tile.squaredError / tile.pixels > worst) {
                worst = tile.squaredError / tile.pixels;
                result.worst = {
                    .xPixels = x, .yPixels = y, .psnr = psnrOf(tile.squaredError, 3 * tile.pixels)};
            }
        }
    }
    result.psnr = psnrOf(squaredError, 3 * pixels);
    result.colourShift = shift / pixels;
}

}  // namespace

ImageDifference difference(const Image8& reference, const Image8& image) {
    checkSizes(reference, image);
    const Image8 one = inColour(reference);
    const Image8 two = inColour(image);
    ImageDifference result;
    sumTiles(one, two, result);
    result.ssim = structuralSimilarity(one, two);
    result.edgeEnergyRatio = ratioOf(edgeEnergy(two), edgeEnergy(one));
    return result;
}

std::vector<float> colourDifferences(const Image8& reference, const Image8& image) {
    checkSizes(reference, image);
    const Image8 one = inColour(reference);
    const Image8 two = inColour(image);
    std::vector<float> differences;
    differences.reserve(one.byteCount() / 3);
    for (size_t i = 0; i < one.byteCount(); i += 3) {
        const uint8_t* first = one.pixels.get() + i;
        const uint8_t* second = two.pixels.get() + i;
        differences.push_back(static_cast<float>(ciede2000(
            labOfSrgb(first[0], first[1], first[2]), labOfSrgb(second[0], second[1], second[2]))));
    }
    return differences;
}

namespace {

constexpr int kWindow = 11;
constexpr double kSigma = 1.5;
/// (0.01 * 255)^2 and (0.03 * 255)^2.
constexpr double kSmallMean = 6.5025;
constexpr double kSmallVariance = 58.5225;

using Weights = std::array<double, kWindow>;

Weights gaussian() {
    Weights weights{};
    double sum = 0;
    for (int i = 0; i < kWindow; ++i) {
        const double distance = i - kWindow / 2;
        weights[static_cast<size_t>(i)] = std::exp(-0.5 * distance * distance / (kSigma * kSigma));
        sum += weights[static_cast<size_t>(i)];
    }
    for (double& weight : weights) {
        weight /= sum;
    }
    return weights;
}

/// Weighted sums of two channels over a window.
struct Moments {
    double first = 0;
    double second = 0;
    double firstSquared = 0;
    double secondSquared = 0;
    double product = 0;

    void add(const Moments& other, double weight) {
        first += weight * other.first;
        second += weight * other.second;
        firstSquared += weight * other.firstSquared;
        secondSquared += weight * other.secondSquared;
        product += weight * other.product;
    }
};

double similarityOf(const Moments& mean) {
    const double firstVariance = mean.firstSquared - mean.first * mean.first;
    const double secondVariance = mean.secondSquared - mean.second * mean.second;
    const double covariance = mean.product - mean.first * mean.second;
    return (2 * mean.first * mean.second + kSmallMean) * (2 * covariance + kSmallVariance) /
           ((mean.first * mean.first + mean.second * mean.second + kSmallMean) *
            (firstVariance + secondVariance + kSmallVariance));
}

/// One row of a channel with windows of one row, where they fit.
void sumAlongRow(const uint8_t* first,
                 const uint8_t* second,
                 int channels,
                 const Weights& weights,
                 std::vector<Moments>& row) {
    for (size_t x = 0; x < row.size(); ++x) {
        row[x] = {};
        for (size_t i = 0; i < weights.size(); ++i) {
            const size_t found = (x + i) * static_cast<size_t>(channels);
            const double one = first[found];
            const double two = second[found];
            row[x].add({.first = one,
                        .second = two,
                        .firstSquared = one * one,
                        .secondSquared = two * two,
                        .product = one * two},
                       weights[i]);
        }
    }
}

/// Mean over one channel. Rows are kept only as long as a window reaches back.
double channelSimilarity(const Image8& reference, const Image8& image, int channel) {
    const Weights weights = gaussian();
    const auto columns = static_cast<size_t>(reference.widthPixels - kWindow + 1);
    const size_t rowBytes =
        static_cast<size_t>(reference.widthPixels) * static_cast<size_t>(reference.channels);
    std::array<std::vector<Moments>, kWindow> rows;
    rows.fill(std::vector<Moments>(columns));
    double sum = 0;
    for (int y = 0; y < reference.heightPixels; ++y) {
        const size_t start = static_cast<size_t>(y) * rowBytes + static_cast<size_t>(channel);
        sumAlongRow(reference.pixels.get() + start,
                    image.pixels.get() + start,
                    reference.channels,
                    weights,
                    rows[static_cast<size_t>(y % kWindow)]);
        const int top = y - kWindow + 1;
        for (size_t x = 0; top >= 0 && x < columns; ++x) {
            Moments mean;
            for (int i = 0; i < kWindow; ++i) {
                mean.add(rows[static_cast<size_t>((top + i) % kWindow)][x],
                         weights[static_cast<size_t>(i)]);
            }
            sum += similarityOf(mean);
        }
    }
    return sum / (static_cast<double>(columns) * (reference.heightPixels - kWindow + 1));
}

}  // namespace

std::optional<double> structuralSimilarity(const Image8& reference, const Image8& image) {
    LOWTIDE_ASSERT(reference.widthPixels == image.widthPixels &&
                   reference.heightPixels == image.heightPixels &&
                   reference.channels == image.channels);
    if (std::min(reference.widthPixels, reference.heightPixels) < kWindow) {
        return std::nullopt;
    }
    double sum = 0;
    for (int channel = 0; channel < reference.channels; ++channel) {
        sum += channelSimilarity(reference, image, channel);
    }
    return sum / reference.channels;
}

}  // namespace lowtide::image
