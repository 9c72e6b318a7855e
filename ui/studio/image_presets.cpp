#include "ui/studio/image_presets.hpp"

#include "ui/panels/image_drop.hpp"
#include "ui/studio/dropped_file.hpp"
#include "ui/theme/figures.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

const ShownParam* imageParam(const PresetEntry& entry,
                             const graph::Catalog& catalog,
                             const QString& path) {
    const ImageInput input = isVideo(path) ? videoInput(catalog) : imageInput(catalog);
    const auto found =
        std::find_if(entry.shown.begin(), entry.shown.end(), [&](const ShownParam& each) {
            return input.desc && each.nodeType == input.desc->id && each.param == input.param->id;
        });
    return found == entry.shown.end() ? nullptr : &*found;
}

ImagePresets::ImagePresets(const PresetStore& presets,
                           const graph::Catalog& catalog,
                           std::function<QString()> image,
                           QWidget* parent)
    : QMenu(tr("Use in a &preset"), parent),
      presets_(presets),
      catalog_(catalog),
      image_(std::move(image)) {
    setObjectName(QStringLiteral("picturePresets"));
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &ImagePresets::fill);
    connect(&presets_, &PresetStore::changed, this, [this] {
        if (isVisible()) {  // what was looked for on disks is found while it is open
            fill();
        }
    });
}

/// The same entries once more are left as they are: one of them may be under the pointer.
void ImagePresets::fill() {
    const QString image = image_();
    std::vector<Offer> offers;
    for (const bool areComplete : {true, false}) {
        for (const PresetEntry& entry : presets_.entries()) {
            if (entry.problem.isEmpty() && entry.isComplete() == areComplete &&
                imageParam(entry, catalog_, image)) {
                offers.push_back({.id = entry.id,
                                  .title = entry.title,
                                  .tip = areComplete ? entry.description
                                                     : tr("Files that it needs are not there."),
                                  .isComplete = areComplete});
            }
        }
    }
    if (isFilled_ && image == filledFor_ && offers == offers_ &&
        isLooking_ == presets_.isLooking()) {
        return;
    }
    isFilled_ = true;
    filledFor_ = image;
    isLooking_ = presets_.isLooking();
    offers_ = std::move(offers);
    clear();
    addOffers(true);
    addSeparator();
    addOffers(false);
    if (isLooking_) {
        addAction(tr("Looking for the files of presets…"))->setEnabled(false);
    } else if (offers_.empty()) {
        addAction(tr("No preset begins with one"))->setEnabled(false);
    }
}

void ImagePresets::addOffers(bool areComplete) {
    for (const Offer& offer : offers_) {
        if (offer.isComplete == areComplete) {
            QAction* action = addAction(menuText(offer.title));
            action->setToolTip(offer.tip);
            connect(action, &QAction::triggered, this, [this, id = offer.id, image = filledFor_] {
                Q_EMIT chosen(id, image);
            });
        }
    }
}

}  // namespace lowtide::ui
