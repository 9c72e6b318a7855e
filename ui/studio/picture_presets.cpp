#include "ui/studio/picture_presets.hpp"

#include "ui/panels/picture_drop.hpp"
#include "ui/studio/dropped_file.hpp"
#include "ui/theme/menu_text.hpp"

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
}

void PicturePresets::fill() {
    clear();
    const QString picture = picture_();
    const auto add = [&](bool areComplete) {
        for (const PresetEntry& entry : presets_.entries()) {
            const bool isOffered = entry.problem.isEmpty() && entry.isComplete() == areComplete &&
                                   pictureParam(entry, catalog_, picture);
            if (isOffered) {
                QAction* action = addAction(menuText(entry.title));
                action->setToolTip(areComplete ? entry.description
                                               : tr("Files that it needs are not there."));
                connect(action, &QAction::triggered, this, [this, id = entry.id, picture] {
                    Q_EMIT chosen(id, picture);
                });
            }
        }
    };
    add(true);
    addSeparator();
    add(false);
    if (isEmpty()) {
        addAction(tr("No preset begins with one"))->setEnabled(false);
    }
}

}  // namespace lowtide::ui
