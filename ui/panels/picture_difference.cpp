#include "ui/panels/picture_difference.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace lowtide::ui {

namespace {

class DifferenceWords {
    Q_DECLARE_TR_FUNCTIONS(PictureDifference)
};

constexpr qsizetype kChannels = 4;

}  // namespace

PictureDifference differenceOf(const QImage& left, const QImage& right) {
    if (left.size() != right.size() || left.isNull()) {
        return {};
    }
    const QImage a = left.convertToFormat(QImage::Format_RGBA8888);
    const QImage b = right.convertToFormat(QImage::Format_RGBA8888);
    int largest = 0;
    int64_t differing = 0;
    const qsizetype row = a.width() * kChannels;
    for (int y = 0; y < a.height(); ++y) {
        const uchar* of = a.constScanLine(y);
        const uchar* other = b.constScanLine(y);
        if (std::memcmp(of, other, static_cast<size_t>(row)) == 0) {
            continue;
        }
        for (qsizetype x = 0; x < row; x += kChannels) {
            int apart = 0;
            for (qsizetype channel = 0; channel < kChannels; ++channel) {
                apart = std::max(apart, std::abs(int{of[x + channel]} - int{other[x + channel]}));
            }
            largest = std::max(largest, apart);
            differing += apart > 0 ? 1 : 0;
        }
    }
    const auto pixels = static_cast<double>(a.width()) * a.height();
    return {
        .isComparable = true, .largest = largest, .share = static_cast<double>(differing) / pixels};
}

QString differenceText(const PictureDifference& difference) {
    if (!difference.isComparable) {
        return DifferenceWords::tr("The pictures have different sizes.");
    }
    if (difference.largest == 0) {
        return DifferenceWords::tr("Identical.");
    }
    const double percent = difference.share * 100;
    return DifferenceWords::tr("Up to %1 of 255 apart, %2 % of the pixels.")
        .arg(difference.largest)
        .arg(percent < 0.1 ? QStringLiteral("< 0.1") : QString::number(percent, 'f', 1));
}

}  // namespace lowtide::ui
