#include "ui/painting/mask_shapes.hpp"

#include "plugin/base/error.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr uchar kCovered = 255;

/// Which pixels are like one of them.
class Likeness {
public:
    Likeness(QRgb seed, int tolerance) : seed_(seed), tolerance_(tolerance) {}

    [[nodiscard]] bool operator()(QRgb pixel) const {
        return std::abs(qRed(pixel) - qRed(seed_)) <= tolerance_ &&
               std::abs(qGreen(pixel) - qGreen(seed_)) <= tolerance_ &&
               std::abs(qBlue(pixel) - qBlue(seed_)) <= tolerance_;
    }

private:
    QRgb seed_;
    int tolerance_;
};

/// Pixels of a row, `end` behind the last.
struct Run {
    int begin;
    int end;
};

const QRgb* pixelsOf(const QImage& image, int y) {
    return reinterpret_cast<const QRgb*>(image.constScanLine(y));
}

/// Covers the pixels around `x` that are alike and not covered yet.
Run coverRun(const QRgb* pixels, uchar* cover, int width, int x, const Likeness& isAlike) {
    Run run{x, x + 1};
    while (run.begin > 0 && cover[run.begin - 1] == 0 && isAlike(pixels[run.begin - 1])) {
        --run.begin;
    }
    while (run.end < width && cover[run.end] == 0 && isAlike(pixels[run.end])) {
        ++run.end;
    }
    std::fill(cover + run.begin, cover + run.end, kCovered);
    return run;
}

}  // namespace

void addCorner(QPolygonF& corners, const QPointF& corner, double least) {
    if (corners.isEmpty() || QLineF(corners.last(), corner).length() >= least) {
        corners << corner;
    }
}

QImage shapeCover(const QSize& size, const QPainterPath& shape) {
    QImage cover = filledMask(size, 0);
    QPainter painter(&cover);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(shape, Qt::white);
    return cover;
}

QImage floodCover(const QImage& image, const QPoint& seed, int tolerance) {
    QImage cover = filledMask(image.size(), 0);
    if (!image.rect().contains(seed)) {
        return cover;
    }
    const QImage colours = image.convertToFormat(QImage::Format_RGB32);
    const Likeness isAlike(pixelsOf(colours, seed.y())[seed.x()], tolerance);
    std::vector<QPoint> seeds = {seed};
    while (!seeds.empty()) {
        const QPoint at = seeds.back();
        seeds.pop_back();
        uchar* row = cover.scanLine(at.y());
        if (row[at.x()] != 0) {
            continue;
        }
        const Run run = coverRun(pixelsOf(colours, at.y()), row, cover.width(), at.x(), isAlike);
        for (const int y : {at.y() - 1, at.y() + 1}) {
            if (y < 0 || y >= cover.height()) {
                continue;
            }
            const QRgb* pixels = pixelsOf(colours, y);
            const uchar* reached = cover.constScanLine(y);
            bool isInside = false;  // one seed for each run of alike pixels
            for (int x = run.begin; x < run.end; ++x) {
                const bool isOpen = reached[x] == 0 && isAlike(pixels[x]);
                if (isOpen && !isInside) {
                    seeds.emplace_back(x, y);
                }
                isInside = isOpen;
            }
        }
    }
    return cover;
}

QImage covered(const QImage& mask, const QImage& cover, StrokeKind kind, double opacity) {
    LOWTIDE_ASSERT(mask.size() == cover.size());
    const int most = static_cast<int>(std::lround(255 * std::clamp(opacity, 0.0, 1.0)));
    const bool erases = kind == StrokeKind::Erase;
    QImage result(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* from = mask.constScanLine(y);
        std::transform(from,
                       from + mask.width(),
                       cover.constScanLine(y),
                       result.scanLine(y),
                       [most, erases](uchar level, uchar covering) {
                           const int weight = fractionOf(covering, most);
                           return static_cast<uchar>(erases
                                                         ? fractionOf(level, 255 - weight)
                                                         : level + fractionOf(255 - level, weight));
                       });
    }
    return result;
}

}  // namespace lowtide::ui
