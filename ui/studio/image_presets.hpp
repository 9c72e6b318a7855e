#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QMenu>

#include <functional>
#include <vector>

namespace lowtide::ui {

/// The presets that begin with an image, as a menu: one that is chosen opens with the image that
/// is looked at. Filled when it opens, and again while it is open where files of presets are found.
class ImagePresets : public QMenu {
    Q_OBJECT

public:
    /// `image`: the file that is looked at; presets of videos are offered for a video. All must
    /// outlive it.
    ImagePresets(const PresetStore& presets,
                 const graph::Catalog& catalog,
                 std::function<QString()> image,
                 QWidget* parent);

Q_SIGNALS:
    void chosen(const QString& preset, const QString& image);

private:
    struct Offer {
        QString id;
        QString title;
        QString tip;
        bool isComplete = false;

        bool operator==(const Offer&) const = default;
    };

    void fill();
    void addOffers(bool areComplete);

    const PresetStore& presets_;
    const graph::Catalog& catalog_;
    std::function<QString()> image_;
    QString filledFor_;
    std::vector<Offer> offers_;
    bool isFilled_ = false;
    bool isLooking_ = false;
};

/// The value of a preset's form that takes the image or video at `path`; nullptr: there is none.
[[nodiscard]] const ShownParam* imageParam(const PresetEntry& entry,
                                           const graph::Catalog& catalog,
                                           const QString& path);

}  // namespace lowtide::ui
