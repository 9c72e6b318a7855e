#include "plugin/image/canny.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace lowtide::image {

namespace {

constexpr uint8_t kEdge = 255;

/// Gradient of one pixel.
struct Gradient {
    int dx = 0;
    int dy = 0;

    [[nodiscard]] int strength() const { return std::abs(dx) + std::abs(dy); }
};

/// Gradients of all pixels, with a border of none around them.
class Gradients {
public:
    explicit Gradients(const Image8& image)
        : width_(image.widthPixels),
          values_((static_cast<size_t>(image.widthPixels) + 2) *
                  (static_cast<size_t>(image.heightPixels) + 2)) {
        for (int y = 0; y < image.heightPixels; ++y) {
            for (int x = 0; x < image.widthPixels; ++x) {
                values_[indexOf(y, x)] = strongest(image, y, x);
            }
        }
    }

    [[nodiscard]] const Gradient& at(int y, int x) const { return values_[indexOf(y, x)]; }

private:
    [[nodiscard]] size_t indexOf(int y, int x) const {
        return static_cast<size_t>(y + 1) * (static_cast<size_t>(width_) + 2) +
               static_cast<size_t>(x + 1);
    }

    /// Of the channel where it is strongest, the first one of several.
    static Gradient strongest(const Image8& image, int y, int x) {
        Gradient best = ofChannel(image, y, x, 0);
        for (int channel = 1; channel < image.channels; ++channel) {
            const Gradient other = ofChannel(image, y, x, channel);
            best = other.strength() > best.strength() ? other : best;
        }
        return best;
    }

    /// Sobel's operator; outside of the image lies its edge.
    static Gradient ofChannel(const Image8& image, int y, int x, int channel) {
        const int above = std::max(y - 1, 0);
        const int below = std::min(y + 1, image.heightPixels - 1);
        const int before = std::max(x - 1, 0);
        const int behind = std::min(x + 1, image.widthPixels - 1);
        const auto level = [&](int row, int column) {
            const auto index = (static_cast<size_t>(row) * static_cast<size_t>(image.widthPixels) +
                                static_cast<size_t>(column)) *
                                   static_cast<size_t>(image.channels) +
                               static_cast<size_t>(channel);
            return static_cast<int>(image.pixels[index]);
        };
        return {.dx = level(above, behind) - level(above, before) +
                      2 * (level(y, behind) - level(y, before)) + level(below, behind) -
                      level(below, before),
                .dy = level(below, before) - level(above, before) +
                      2 * (level(below, x) - level(above, x)) + level(below, behind) -
                      level(above, behind)};
    }

    int width_;
    std::vector<Gradient> values_;
};

/// Whether the gradient is no weaker than both neighbours across the edge, one of them counting
/// for less where they are equal. Directions are distinguished at 22.5 and 67.5 degrees, in whole
/// numbers as OpenCV does.
bool isRidge(const Gradients& gradients, int y, int x) {
    constexpr int64_t kShift = 15;
    constexpr int64_t kTangent = 13573;  // tan 22.5 degrees of 1 << 15
    const Gradient& here = gradients.at(y, x);
    const int strength = here.strength();
    const auto strengthAt = [&](int row, int column) {
        return gradients.at(row, column).strength();
    };
    const int64_t wide = std::abs(here.dx);
    const int64_t high = static_cast<int64_t>(std::abs(here.dy)) << kShift;
    const int64_t flat = wide * kTangent;
    if (high < flat) {
        return strength > strengthAt(y, x - 1) && strength >= strengthAt(y, x + 1);
    }
    if (high > flat + (wide << (kShift + 1))) {
        return strength > strengthAt(y - 1, x) && strength >= strengthAt(y + 1, x);
    }
    const int side = (here.dx < 0) != (here.dy < 0) ? -1 : 1;
    return strength > strengthAt(y - 1, x - side) && strength > strengthAt(y + 1, x + side);
}

/// Edges grow from strong ridges over weak ones.
class EdgeMap {
public:
    EdgeMap(const Gradients& gradients, int width, int height, int low, int high)
        : width_(width),
          height_(height),
          isWeak_(static_cast<size_t>(width) * static_cast<size_t>(height)),
          edges_(std::make_unique<uint8_t[]>(isWeak_.size())) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                const int strength = gradients.at(y, x).strength();
                if (strength > low && isRidge(gradients, y, x)) {
                    isWeak_[indexOf(y, x)] = true;
                    if (strength > high) {
                        open_.emplace_back(y, x);
                    }
                }
            }
        }
    }

    std::unique_ptr<uint8_t[]> grown() {
        while (!open_.empty()) {
            const auto [y, x] = open_.back();
            open_.pop_back();
            uint8_t& edge = edges_[indexOf(y, x)];
            if (edge != kEdge) {
                edge = kEdge;
                openAround(y, x);
            }
        }
        return std::move(edges_);
    }

private:
    [[nodiscard]] size_t indexOf(int y, int x) const {
        return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
    }

    void openAround(int y, int x) {
        for (int row = std::max(y - 1, 0); row <= std::min(y + 1, height_ - 1); ++row) {
            for (int column = std::max(x - 1, 0); column <= std::min(x + 1, width_ - 1); ++column) {
                const size_t index = indexOf(row, column);
                if (isWeak_[index] && edges_[index] != kEdge) {
                    open_.emplace_back(row, column);
                }
            }
        }
    }

    int width_;
    int height_;
    std::vector<bool> isWeak_;
    std::unique_ptr<uint8_t[]> edges_;
    std::vector<std::pair<int, int>> open_;
};

}  // namespace

Image8 cannyEdges(const Image8& image, double low, double high) {
    LOWTIDE_ASSERT(image.widthPixels > 0 && image.heightPixels > 0 && image.channels > 0);
    const auto [least, most] = std::minmax(low, high);
    const Gradients gradients(image);
    EdgeMap map(gradients,
                image.widthPixels,
                image.heightPixels,
                static_cast<int>(std::floor(least)),
                static_cast<int>(std::floor(most)));
    return {.widthPixels = image.widthPixels,
            .heightPixels = image.heightPixels,
            .channels = 1,
            .pixels = map.grown()};
}

}  // namespace lowtide::image
