#include "plugin/tensor/simd/group_norm.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::tensor::simd {

namespace {

constexpr int64_t kLeastBlockPixels = 32;
constexpr int64_t kMostBlocks = 256;

/// Mean and variance of numbers, which sets can be joined to.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0;  ///< of deviations, summed

    /// Source: Chan et al. 1979.
    void join(const Moments& other) {
        const double all = count + other.count;
        const double apart = other.mean - mean;
        squares += other.squares + apart * apart * count * other.count / all;
        mean += apart * other.count / all;
        count = all;
    }
};

/// Of one channel of a picture.
Moments momentsOf(const GroupNorm& work, const float* sums, int64_t picture, int64_t channel) {
    const int64_t blocks = work.blocksOfPicture();
    const float* first = sums + picture * blocks * 2 * work.channels + channel;
    double sum = 0;
    double squares = 0;
    for (int64_t block = 0; block < blocks; ++block) {
        sum += static_cast<double>(first[block * 2 * work.channels]);
        squares += static_cast<double>(first[(block * 2 + 1) * work.channels]);
    }
    const auto count = static_cast<double>(work.pixels);
    const int64_t pixel = picture * work.pixels * work.channels + channel;
    const double added =
        work.added ? static_cast<double>(work.added[picture * work.channels + channel]) : 0;
    return {count,
            static_cast<double>(work.values[pixel]) + added + sum / count,
            squares - sum * sum / count};
}

}  // namespace

int64_t GroupNorm::blockPixels() const {
    return std::max((pixels + kMostBlocks - 1) / kMostBlocks, std::min(pixels, kLeastBlockPixels));
}

int64_t GroupNorm::blocksOfPicture() const {
    return (pixels + blockPixels() - 1) / blockPixels();
}

void makeFactors(const GroupNorm& work, const float* sums, float* factors) {
    const int64_t width = work.channels / work.groups;
    for (int64_t picture = 0; picture < work.batch; ++picture) {
        float* factor = factors + picture * 2 * work.channels;
        float* summand = factor + work.channels;
        for (int64_t first = 0; first < work.channels; first += width) {
            Moments all;
            for (int64_t channel = first; channel < first + width; ++channel) {
                all.join(momentsOf(work, sums, picture, channel));
            }
            const double scale = 1 / std::sqrt(all.squares / all.count + work.epsilon);
            for (int64_t channel = first; channel < first + width; ++channel) {
                const double weight = static_cast<double>(work.weight[channel]) * scale;
                const double added =
                    work.added ? static_cast<double>(work.added[picture * work.channels + channel])
                               : 0;
                factor[channel] = static_cast<float>(weight);
                summand[channel] = static_cast<float>(static_cast<double>(work.bias[channel]) +
                                                      (added - all.mean) * weight);
            }
        }
    }
}

}  // namespace lowtide::tensor::simd
