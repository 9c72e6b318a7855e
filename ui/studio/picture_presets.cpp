#include "ui/studio/picture_presets.hpp"

#include "ui/panels/picture_drop.hpp"
#include "ui/studio/dropped_file.hpp"
#include "ui/theme/figures.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

const ShownParam* pictureParam(const PresetEntry& entry,
                               const graph::Catalog& catalog,
                               const QString& path) {
    const PictureInput input = isVideo(path) ? videoInput(catalog) : pictureInput(catalog);
    const auto place =
        std::find_if(entry.shown.begin(), entry.shown.end(), [&](const ShownParam& each) {
            return input.desc && each.nodeType == input.desc->id && each.param == input.param->id;
        });
    return place == entry.shown.end() ? nullptr : &*place;
}

PicturePresets::PicturePresets(const PresetStore& presets,
                               const graph::Catalog& catalog,
                               std::function<QString()> picture,
                               QWidget* parent)
    : QMenu(tr("Use in a &preset"), parent),
      presets_(presets),
      catalog_(catalog),
      picture_(std::move(picture)) {
    setObjectName(QStringLiteral("picturePresets"));
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &PicturePresets::fill);
    connect(&presets_, &PresetStore::changed, this, [this] {
        if (isVisible()) {  // what was looked for on disks is found while it is open
            fill();
        }
    });
}

/// The same entries once more stay as they are: one of them may be under the pointer.
void PicturePresets::fill() {
    const QString picture = picture_();
    std::vector<Offer> offers;
    for (const bool areComplete : {true, false}) {
        for (const PresetEntry& entry : presets_.entries()) {
            if (entry.problem.isEmpty() && entry.isComplete() == areComplete &&
                pictureParam(entry, catalog_, picture)) {
                offers.push_back({.id = entry.id,
                                  .title = entry.title,
                                  .tip = areComplete ? entry.description
                                                     : tr("Files that it needs are not there."),
                                  .isComplete = areComplete});
            }
        }
    }
    if (isFilled_ && picture == filledFor_ && offers == offers_ &&
        isLooking_ == presets_.isLooking()) {
        return;
    }
    isFilled_ = true;
    filledFor_ = picture;
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

void PicturePresets::addOffers(bool areComplete) {
    for (const Offer& offer : offers_) {
        if (offer.isComplete == areComplete) {
            QAction* action = addAction(menuText(offer.title));
            action->setToolTip(offer.tip);
            connect(action, &QAction::triggered, this, [this, id = offer.id, picture = filledFor_] {
                Q_EMIT chosen(id, picture);
            });
        }
    }
}

}  // namespace lowtide::ui
