#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lowtide::ui {

namespace {

/// Wider blurs are made of a mask of half the size, and again.
constexpr double kWidestSigma = 8;
constexpr double kReach = 4;  ///< standard deviations; what lies beyond is below a level
constexpr size_t kLane = 16;

using Floats = std::vector<float>;

Floats gaussianOf(double sigma) {
    const int reach = static_cast<int>(std::ceil(kReach * sigma));
    Floats weights(static_cast<size_t>(reach) + 1);
    double sum = 0;
    for (int i = 0; i <= reach; ++i) {
        const double weight = std::exp(-0.5 * i * i / (sigma * sigma));
        weights[static_cast<size_t>(i)] = static_cast<float>(weight);
        sum += i == 0 ? weight : 2 * weight;
    }
    for (float& weight : weights) {
        weight = static_cast<float>(weight / sum);
    }
    return weights;
}

size_t laneCount(size_t length) {
    return (length + kLane - 1) / kLane * kLane;
}

/// into += weight * (one + other), `count` a multiple of kLane.
void addPair(float* __restrict into,
             float weight,
             const float* __restrict one,
             const float* __restrict other,
             size_t count) {
    for (size_t at = 0; at < count; at += kLane) {
        for (size_t i = at; i < at + kLane; ++i) {
            into[i] += weight * (one[i] + other[i]);
        }
    }
}

/// Blurs one row of pixels of `part`, whose neighbours outside of it count too.
void blurRow(const uchar* from, int width, const QRect& part, const Floats& weights, Floats& to) {
    const int reach = static_cast<int>(weights.size()) - 1;
    const size_t count = laneCount(static_cast<size_t>(part.width()));
    thread_local Floats padded;
    padded.assign(count + 2 * static_cast<size_t>(reach), 0);
    for (int i = 0; i < part.width() + 2 * reach; ++i) {
        padded[static_cast<size_t>(i)] = from[std::clamp(part.left() + i - reach, 0, width - 1)];
    }
    to.assign(count, 0);
    const float* middle = padded.data() + reach;
    addPair(to.data(), weights[0] / 2, middle, middle, count);
    for (int i = 1; i <= reach; ++i) {
        addPair(to.data(), weights[static_cast<size_t>(i)], middle - i, middle + i, count);
    }
}

/// The part of the mask that a blur can change: around what differs from the first pixel.
QRect changingPart(const QImage& mask, int reach) {
    const uchar level = mask.constScanLine(0)[0];
    QRect part;
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* row = mask.constScanLine(y);
        const auto differs = [level](uchar each) { return each != level; };
        const uchar* first = std::find_if(row, row + mask.width(), differs);
        if (first == row + mask.width()) {
            continue;
        }
        const uchar* last = row + mask.width() - 1;
        while (*last == level) {
            --last;
        }
        part |= QRect(QPoint(static_cast<int>(first - row), y),
                      QPoint(static_cast<int>(last - row), y));
    }
    return part.isNull() ? part : part.adjusted(-reach, -reach, reach, reach) & mask.rect();
}

QImage convolved(const QImage& mask, double sigma) {
    const Floats weights = gaussianOf(sigma);
    const int reach = static_cast<int>(weights.size()) - 1;
    const QRect part = changingPart(mask, reach);
    QImage result = mask;
    if (part.isNull()) {
        return result;
    }
    // Rows that were blurred along themselves, as many as one row of the result takes.
    std::vector<Floats> rows(2 * static_cast<size_t>(reach) + 1);
    const auto rowAt = [&](int y) -> Floats& {
        return rows[static_cast<size_t>(y + 4 * reach) % rows.size()];
    };
    const auto fill = [&](int y) {
        const int inside = std::clamp(y, 0, mask.height() - 1);
        blurRow(mask.constScanLine(inside), mask.width(), part, weights, rowAt(y));
    };
    for (int y = part.top() - reach; y < part.top() + reach; ++y) {
        fill(y);
    }
    const size_t count = laneCount(static_cast<size_t>(part.width()));
    Floats sum;
    for (int y = part.top(); y <= part.bottom(); ++y) {
        fill(y + reach);
        sum.assign(count, 0);
        addPair(sum.data(), weights[0] / 2, rowAt(y).data(), rowAt(y).data(), count);
        for (int i = 1; i <= reach; ++i) {
            addPair(sum.data(),
                    weights[static_cast<size_t>(i)],
                    rowAt(y - i).data(),
                    rowAt(y + i).data(),
                    count);
        }
        uchar* to = result.scanLine(y) + part.left();
        for (int x = 0; x < part.width(); ++x) {
            const float level = sum[static_cast<size_t>(x)] + 0.5f;
            to[x] = static_cast<uchar>(std::clamp(level, 0.0f, 255.0f));
        }
    }
    return result;
}

/// The pixel between two of the half size: three parts of the nearer one.
int nearer(int near, int far) {
    return 3 * near + far;
}

QImage doubled(const QImage& half, const QSize& size) {
    QImage result(size, QImage::Format_Grayscale8);
    for (int y = 0; y < size.height(); ++y) {
        const int otherY = std::clamp(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1, 0, half.height() - 1);
        const uchar* row = half.constScanLine(y / 2);
        const uchar* other = half.constScanLine(otherY);
        uchar* to = result.scanLine(y);
        for (int x = 0; x < size.width(); ++x) {
            const int near = x / 2;
            const int far = std::clamp(x % 2 == 0 ? near - 1 : near + 1, 0, half.width() - 1);
            const int mean =
                nearer(nearer(row[near], row[far]), nearer(other[near], other[far])) + 8;
            to[x] = static_cast<uchar>(mean / 16);
        }
    }
    return result;
}

/// Halving and doubling blur as well: together a variance of one pixel.
QImage blurred(const QImage& mask, double sigma) {
    return sigma <= kWidestSigma
               ? convolved(mask, sigma)
               : doubled(blurred(halved(mask), std::sqrt((sigma * sigma - 1) / 4)), mask.size());
}

/// With its border going on for so many pixels.
QImage bordered(const QImage& mask, int border) {
    QImage result(mask.size() + QSize(2 * border, 2 * border), QImage::Format_Grayscale8);
    for (int y = 0; y < result.height(); ++y) {
        const uchar* from = mask.constScanLine(std::clamp(y - border, 0, mask.height() - 1));
        uchar* to = result.scanLine(y);
        std::fill(to, to + border, from[0]);
        std::copy(from, from + mask.width(), to + border);
        std::fill(to + border + mask.width(), to + result.width(), from[mask.width() - 1]);
    }
    return result;
}

}  // namespace

QImage feathered(const QImage& mask, double sigma) {
    if (sigma <= 0) {
        return mask;
    }
    if (sigma <= kWidestSigma) {
        return convolved(mask, sigma);
    }
    // Halves of the border's pixels are no longer those pixels alone.
    const int border = static_cast<int>(std::ceil(kReach * sigma));
    return blurred(bordered(mask, border), sigma).copy(QRect(QPoint(border, border), mask.size()));
}

}  // namespace lowtide::ui
