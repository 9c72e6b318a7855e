#include "ui/panels/image_compare.hpp"

#include "ui/panels/image_facts.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace lowtide::ui {

namespace {

constexpr qsizetype kCaptionValue = 32;  ///< letters of a value
constexpr int kMostValues = 2;

class CaptionWords {
    Q_DECLARE_TR_FUNCTIONS(CompareCaptions)
};

QString shortValue(const QString& value) {
    const QString line = value.simplified();
    return line.size() <= kCaptionValue ? line : line.left(kCaptionValue - 1) + QChar(0x2026);
}

/// What stands in `own` and not likewise in `other`; prompts, which are long, come last.
QString captionOf(const QString& name,
                  std::vector<ImageFact> own,
                  const std::vector<ImageFact>& other) {
    std::erase_if(own, [&](const ImageFact& fact) {
        return std::ranges::any_of(other, [&](const ImageFact& each) {
            return each.name == fact.name && each.value == fact.value;
        });
    });
    std::ranges::stable_partition(
        own, [](const ImageFact& fact) { return fact.value.size() <= kCaptionValue; });
    QString caption = name;
    for (size_t i = 0; i < own.size() && i < kMostValues; ++i) {
        caption =
            CaptionWords::tr("%1 · %2 %3").arg(caption, own[i].name, shortValue(own[i].value));
    }
    return caption;
}

class DifferenceWords {
    Q_DECLARE_TR_FUNCTIONS(ImageDifference)
};

constexpr qsizetype kChannels = 4;

}  // namespace

CompareCaptions captionsOf(const NamedImage& left,
                           const NamedImage& right,
                           const graph::Catalog* catalog) {
    const std::vector<ImageFact> ofLeft = settingFacts(left.image, catalog);
    const std::vector<ImageFact> ofRight = settingFacts(right.image, catalog);
    return {.left = captionOf(left.name, ofLeft, ofRight),
            .right = captionOf(right.name, ofRight, ofLeft)};
}

ImageDifference differenceOf(const QImage& left, const QImage& right) {
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
    return {.isComparable = true,
            .largest = largest,
            .fraction = static_cast<double>(differing) / pixels};
}

QString differenceText(const ImageDifference& difference) {
    if (!difference.isComparable) {
        return DifferenceWords::tr("The images have different sizes.");
    }
    if (difference.largest == 0) {
        return DifferenceWords::tr("Identical.");
    }
    const double percent = difference.fraction * 100;
    return DifferenceWords::tr("Up to %1 of 255 apart, %2 % of the pixels.")
        .arg(difference.largest)
        .arg(percent < 0.1 ? QStringLiteral("< 0.1") : QString::number(percent, 'f', 1));
}

}  // namespace lowtide::ui
