#include "ui/panels/compare_captions.hpp"

#include "ui/panels/setting_facts.hpp"

#include <QCoreApplication>

#include <algorithm>

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
                  std::vector<PictureFact> own,
                  const std::vector<PictureFact>& other) {
    std::erase_if(own, [&](const PictureFact& fact) {
        return std::any_of(other.begin(), other.end(), [&](const PictureFact& each) {
            return each.name == fact.name && each.value == fact.value;
        });
    });
    std::stable_partition(own.begin(), own.end(), [](const PictureFact& fact) {
        return fact.value.size() <= kCaptionValue;
    });
    QString caption = name;
    for (size_t i = 0; i < own.size() && i < kMostValues; ++i) {
        caption =
            CaptionWords::tr("%1 · %2 %3").arg(caption, own[i].name, shortValue(own[i].value));
    }
    return caption;
}

}  // namespace

CompareCaptions captionsOf(const NamedPicture& left,
                           const NamedPicture& right,
                           const graph::Catalog* catalog) {
    const std::vector<PictureFact> ofLeft = settingFactsOf(left.picture, catalog);
    const std::vector<PictureFact> ofRight = settingFactsOf(right.picture, catalog);
    return {.left = captionOf(left.name, ofLeft, ofRight),
            .right = captionOf(right.name, ofRight, ofLeft)};
}

}  // namespace lowtide::ui
