#include "plugin/image/structural_similarity.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lowtide::image {

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
            const size_t place = (x + i) * static_cast<size_t>(channels);
            const double one = first[place];
            const double two = second[place];
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
double channelSimilarity(const Image8& reference, const Image8& picture, int channel) {
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
                    picture.pixels.get() + start,
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

std::optional<double> structuralSimilarity(const Image8& reference, const Image8& picture) {
    LOWTIDE_ASSERT(reference.widthPixels == picture.widthPixels &&
                   reference.heightPixels == picture.heightPixels &&
                   reference.channels == picture.channels);
    if (std::min(reference.widthPixels, reference.heightPixels) < kWindow) {
        return std::nullopt;
    }
    double sum = 0;
    for (int channel = 0; channel < reference.channels; ++channel) {
        sum += channelSimilarity(reference, picture, channel);
    }
    return sum / reference.channels;
}

}  // namespace lowtide::image
