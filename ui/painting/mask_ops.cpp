#include "ui/painting/mask_ops.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::ui {

namespace {

/// Loops over a fixed count become vector instructions; rows are padded to a multiple of it.
constexpr size_t kBlock = 64;

using Row = std::vector<uchar>;

size_t roundedUp(size_t length, size_t block) {
    return (length + block - 1) / block * block;
}

/// into = max(into, other), which do not overlap; `count` a multiple of kBlock.
void raise(uchar* __restrict into, const uchar* __restrict other, size_t count) {
    for (size_t at = 0; at < count; at += kBlock) {
        for (size_t i = at; i < at + kBlock; ++i) {
            into[i] = std::max(into[i], other[i]);
        }
    }
}

/// Rows above and below that a disc reaches with so many pixels to each side.
std::vector<std::vector<int>> reachesOfDisc(int radius) {
    std::vector<std::vector<int>> rows(static_cast<size_t>(radius) + 1);
    for (int dy = -radius; dy <= radius; ++dy) {
        const double half = std::sqrt(double(radius) * radius - double(dy) * dy);
        rows[static_cast<size_t>(half)].push_back(dy);
    }
    return rows;
}

/// Row by row: its running maximum over 1, 3, 5 ... pixels is laid on the rows that the disc
/// reaches with as many.
QImage dilated(const QImage& mask, int radius) {
    const auto width = static_cast<size_t>(mask.width());
    const size_t length = roundedUp(width, kBlock);
    std::vector<Row> result(static_cast<size_t>(mask.height()), Row(length, 0));
    const std::vector<std::vector<int>> reaches = reachesOfDisc(radius);
    Row running(length + 2 * kBlock, 0);  // zeros around it
    Row wider = running;
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* from = mask.constScanLine(y);
        if (std::all_of(from, from + width, [](uchar level) { return level == 0; })) {
            continue;
        }
        std::fill(running.begin(), running.end(), uchar{0});
        std::copy(from, from + width, running.begin() + kBlock);
        for (size_t reach = 0; reach < reaches.size(); ++reach) {
            if (reach > 0) {
                wider = running;
                raise(wider.data() + kBlock, running.data() + kBlock - 1, length);
                raise(wider.data() + kBlock, running.data() + kBlock + 1, length);
                std::fill(wider.begin() + static_cast<std::ptrdiff_t>(kBlock + width),
                          wider.end(),
                          uchar{0});
                running.swap(wider);
            }
            for (const int dy : reaches[reach]) {
                if (y + dy >= 0 && y + dy < mask.height()) {
                    raise(result[static_cast<size_t>(y + dy)].data(),
                          running.data() + kBlock,
                          length);
                }
            }
        }
    }
    QImage image(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        const Row& row = result[static_cast<size_t>(y)];
        std::copy(row.begin(), row.begin() + mask.width(), image.scanLine(y));
    }
    return image;
}

/// Wider blurs are made of a mask of half the size, and again.
constexpr double kWidestSigma = 8;
constexpr double kReach = 4;  ///< standard deviations; what lies beyond is below a level
constexpr size_t kAlignment = 16;

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

/// into += weight * (one + other), `count` a multiple of kAlignment.
void addPair(float* __restrict into,
             float weight,
             const float* __restrict one,
             const float* __restrict other,
             size_t count) {
    for (size_t at = 0; at < count; at += kAlignment) {
        for (size_t i = at; i < at + kAlignment; ++i) {
            into[i] += weight * (one[i] + other[i]);
        }
    }
}

/// Blurs one row of pixels of `part`, whose neighbours outside of it count too.
void blurRow(const uchar* from, int width, const QRect& part, const Floats& weights, Floats& to) {
    const int reach = static_cast<int>(weights.size()) - 1;
    const size_t count = roundedUp(static_cast<size_t>(part.width()), kAlignment);
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
    const size_t count = roundedUp(static_cast<size_t>(part.width()), kAlignment);
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

constexpr int kStripe = 8;       ///< pixels of the screen
constexpr int kEdgeLevel = 128;  ///< where the line runs
constexpr QRgb kLightLine = 0xffffffff;
constexpr QRgb kDarkLine = 0xff000000;

using Shades = std::array<QRgb, 256>;

Shades shadesOf(const QColor& colour, double opacity) {
    Shades shades{};
    for (int level = 0; level < 256; ++level) {
        const int alpha = static_cast<int>(std::lround(opacity * level));
        shades[static_cast<size_t>(level)] =
            qPremultiply(qRgba(colour.red(), colour.green(), colour.blue(), alpha));
    }
    return shades;
}

const QImage& levelFor(const std::vector<QImage>& levels, double wanted) {
    size_t level = 0;
    while (level + 1 < levels.size() && levels[level + 1].width() >= wanted) {
        ++level;
    }
    return levels[level];
}

/// Of each pixel that is shown, and one more on each side: the level of the mask there.
class Shown {
public:
    Shown(const QImage& mask, const QRectF& part, const QSize& size)
        : width_(size.width() + 2), levels_(static_cast<size_t>(width_) * (size.height() + 2)) {
        std::vector<int> columns(static_cast<size_t>(width_));
        const double stepX = part.width() / size.width();
        const double stepY = part.height() / size.height();
        for (int x = 0; x < width_; ++x) {
            const double at = part.x() + (x - 0.5) * stepX;
            columns[static_cast<size_t>(x)] =
                std::clamp(static_cast<int>(std::floor(at)), 0, mask.width() - 1);
        }
        for (int y = 0; y < size.height() + 2; ++y) {
            const double at = part.y() + (y - 0.5) * stepY;
            const uchar* row = mask.constScanLine(
                std::clamp(static_cast<int>(std::floor(at)), 0, mask.height() - 1));
            uchar* to = levels_.data() + static_cast<size_t>(y) * static_cast<size_t>(width_);
            for (int x = 0; x < width_; ++x) {
                to[x] = row[columns[static_cast<size_t>(x)]];
            }
        }
    }

    /// From -1 to the width and height.
    [[nodiscard]] const uchar* row(int y) const {
        return levels_.data() + static_cast<size_t>(y + 1) * static_cast<size_t>(width_) + 1;
    }

private:
    int width_;
    std::vector<uchar> levels_;
};

bool isMasked(uchar level) {
    return level >= kEdgeLevel;
}

}  // namespace

QImage filledMask(const QSize& size, uchar level) {
    QImage mask(size, QImage::Format_Grayscale8);
    LOWTIDE_ASSERT(!mask.isNull());
    mask.fill(uint{level});
    return mask;
}

bool isBlank(const QImage& mask) {
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* row = mask.constScanLine(y);
        if (std::any_of(row, row + mask.width(), [](uchar level) { return level != 0; })) {
            return false;
        }
    }
    return true;
}

QRect maskedRect(const QImage& mask) {
    QRect rect;
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* row = mask.constScanLine(y);
        const uchar* end = row + mask.width();
        const uchar* first = std::find_if(row, end, isMasked);
        if (first == end) {
            continue;
        }
        const uchar* last = end - 1;
        while (!isMasked(*last)) {
            --last;
        }
        rect |= QRect(QPoint(static_cast<int>(first - row), y),
                      QPoint(static_cast<int>(last - row), y));
    }
    return rect;
}

bool isRectangle(const QImage& mask) {
    const QRect rect = maskedRect(mask);
    qint64 masked = 0;
    for (int y = rect.top(); y <= rect.bottom(); ++y) {
        const uchar* row = mask.constScanLine(y);
        masked += std::count_if(row + rect.left(), row + rect.right() + 1, isMasked);
    }
    return masked > 0 && masked == qint64{rect.width()} * rect.height();
}

QImage inverted(const QImage& mask) {
    // A new image: a copy would also keep the texts of the file that the mask was read from.
    QImage result(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* from = mask.constScanLine(y);
        std::transform(from, from + mask.width(), result.scanLine(y), [](uchar level) {
            return static_cast<uchar>(~level);
        });
    }
    return result;
}

QImage halved(const QImage& mask) {
    QImage half((mask.width() + 1) / 2, (mask.height() + 1) / 2, QImage::Format_Grayscale8);
    halveInto(half, mask, half.rect());
    return half;
}

void halveInto(QImage& half, const QImage& mask, const QRect& part) {
    const QRect rows = part & half.rect();
    const int lastX = mask.width() - 1;
    const int lastY = mask.height() - 1;
    for (int y = rows.top(); y <= rows.bottom(); ++y) {
        const uchar* upper = mask.constScanLine(2 * y);
        const uchar* lower = mask.constScanLine(std::min(2 * y + 1, lastY));
        uchar* to = half.scanLine(y);
        for (int x = rows.left(); x <= rows.right(); ++x) {
            const int left = 2 * x;
            const int right = std::min(left + 1, lastX);
            to[x] = static_cast<uchar>(
                (upper[left] + upper[right] + lower[left] + lower[right] + 2) / 4);
        }
    }
}

QImage grown(const QImage& mask, int pixels) {
    return pixels == 0  ? mask
           : pixels > 0 ? dilated(mask, pixels)
                        : inverted(dilated(inverted(mask), -pixels));
}

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

QImage maskOverlay(const std::vector<QImage>& levels,
                   const QRectF& part,
                   const QSize& size,
                   const QPoint& origin,
                   const OverlayLook& look) {
    QImage overlay(size, QImage::Format_ARGB32_Premultiplied);
    if (overlay.isNull() || part.isEmpty()) {
        return {};
    }
    const double whole = levels.front().width();
    const QImage& mask = levelFor(levels, whole * size.width() / part.width());
    const double scaleX = mask.width() / whole;
    const double scaleY = double(mask.height()) / levels.front().height();
    const Shown shown(
        mask,
        {part.x() * scaleX, part.y() * scaleY, part.width() * scaleX, part.height() * scaleY},
        size);
    const Shades shades[] = {shadesOf(look.colour, look.opacity),
                             shadesOf(look.colour.lighter(150), look.opacity)};
    for (int y = 0; y < size.height(); ++y) {
        const uchar* above = shown.row(y - 1);
        const uchar* row = shown.row(y);
        const uchar* below = shown.row(y + 1);
        auto* to = reinterpret_cast<QRgb*>(overlay.scanLine(y));
        for (int x = 0; x < size.width(); ++x) {
            const int diagonal = x + origin.x() + y + origin.y();
            const bool areAround = isMasked(above[x]) && isMasked(below[x]) &&
                                   isMasked(row[x - 1]) && isMasked(row[x + 1]);
            if (isMasked(row[x]) && !areAround) {
                to[x] = (diagonal / (kStripe / 2)) % 2 == 0 ? kLightLine : kDarkLine;
            } else {
                to[x] = shades[(diagonal / kStripe) % 2 == 0 ? 0 : 1][row[x]];
            }
        }
    }
    return overlay;
}

}  // namespace lowtide::ui
