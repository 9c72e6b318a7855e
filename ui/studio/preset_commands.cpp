#include "ui/studio/preset_commands.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/prompt_loras.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/panels/first_start.hpp"
#include "ui/panels/image_drop.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/prompts/resolved_graph.hpp"
#include "ui/studio/dropped_file.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

const ShownParam* imageParam(const PresetEntry& entry,
                             const graph::Catalog& catalog,
                             const QString& path) {
    const ImageInput input = isVideo(path) ? videoInput(catalog) : imageInput(catalog);
    const auto found = std::ranges::find_if(entry.shown, [&](const ShownParam& each) {
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

PresetCommands::PresetCommands(MainWindowWidgets& widgets, FileCommands& files, LocateFile& locate)
    : widgets_(widgets), workspace_(widgets.workspace), files_(files), locate_(locate) {
    connectBrowser();
    widgets_.actions.on("file.save_preset", this, &PresetCommands::save);
    widgets_.actions.on("help.first", this, &PresetCommands::showFirstStart);
    Viewer& viewer = widgets_.viewer;
    viewer.setPresets(menuFor(viewer, [&viewer] { return viewer.path(); }));
    if (Gallery* gallery = widgets_.gallery) {
        gallery->setPresets(menuFor(*gallery, [gallery] {
            const std::vector<ImageRecord> chosen = gallery->selected();
            return chosen.empty() ? QString() : chosen.front().path;
        }));
    }
}

void PresetCommands::connectBrowser() {
    PresetsBrowser& browser = widgets_.presets;
    connect(&browser, &PresetsBrowser::openAsked, this, [this](const QString& id) { open(id); });
    connect(&browser, &PresetsBrowser::saveAsked, this, &PresetCommands::save);
    connect(&browser, &PresetsBrowser::reported, this, [this](const QString& sentence) {
        widgets_.notices.show(NoticeKind::Success, sentence);
    });
    auto* needs = new PresetNeeds(workspace_.engine.runner(), workspace_.presets, this);
    connect(&browser, &PresetsBrowser::needsAsked, needs, &PresetNeeds::ask);
    const auto passOptions = [this, needs] { needs->setOptions(workspace_.planning.options()); };
    connect(&workspace_.planning, &Planning::answered, needs, passOptions);
    passOptions();
    connect(needs, &PresetNeeds::answered, &browser, &PresetsBrowser::setNeeds);
    connect(&browser,
            &PresetsBrowser::locateAsked,
            this,
            [this](const QString& id, const QString&, const QString& file) {
                open(id, [this, file](bool isOpen) {
                    if (isOpen) {
                        locate_.locate(file.toStdString());
                    }
                });
            });
}

QMenu* PresetCommands::menuFor(QWidget& owner, std::function<QString()> image) {
    auto* menu =
        new ImagePresets(workspace_.presets, workspace_.model.catalog(), std::move(image), &owner);
    connect(menu, &ImagePresets::chosen, this, [this](const QString& id, const QString& chosen) {
        open(id, {}, chosen);
    });
    return menu;
}

void PresetCommands::open(const QString& id, const FileCommands::Then& then, const QString& image) {
    if (image.isEmpty()) {
        openLike(id, {}, {}, then);
        return;
    }
    askGraphOf(image,
               [this, id, image, then](const auto& made) { openLike(id, image, made, then); });
}

/// What made it, with the prompts as they were drawn; none where nobody knows, as of a photo.
void PresetCommands::askGraphOf(
    const QString& image, const std::function<void(const std::optional<graph::Document>&)>& then) {
    const QueuedRun* run = workspace_.queue.history().writerOf(image);
    workspace_.file.look(
        this,
        image,
        [image, text = run ? run->graph : std::string()]() -> std::optional<graph::Document> {
            try {
                return text.empty() ? loadGraph(image) : graph::parseDocument(text);
            } catch (const Error&) {
                return std::nullopt;
            }
        },
        [this, then](std::optional<graph::Document> made) {
            if (made) {
                keepPrompts(*made, workspace_.model.catalog());
            }
            then(made);
        });
}

void PresetCommands::openLike(const QString& id,
                              const QString& image,
                              const std::optional<graph::Document>& made,
                              const FileCommands::Then& then) {
    const PresetEntry* entry = workspace_.presets.find(id);
    if (!entry) {
        return;
    }
    const graph::Catalog& catalog = workspace_.model.catalog();
    try {
        OpenedGraph opened{
            .document = workspace_.presets.open(id), .name = entry->title, .folder = {}};
        if (entry->isBuiltin) {  // a user's own is as it was saved
            readAllPromptLoras(opened.document, catalog);
        }
        if (const ShownParam* input =
                image.isEmpty() ? nullptr : imageParam(*entry, catalog, image)) {
            opened.document.nodes.at(input->node).params[input->param] = image.toStdString();
        }
        const size_t left = made ? takePrompts(opened.document, *made, catalog) : 0;
        files_.openDocument(std::move(opened),
                            [this, id, title = entry->title, left, then](bool isOpen) {
                                if (isOpen) {
                                    show(id, title, left);
                                }
                                if (isOpen && !then) {
                                    reportMissingFiles(id);
                                }
                                if (then) {
                                    then(isOpen);
                                }
                            });
    } catch (const Error& error) {
        showError(&widgets_.window, tr("“%1” cannot be opened").arg(entry->title), error);
    }
}

/// `left`: prompts of the image that have no input in it.
void PresetCommands::show(const QString& id, const QString& title, size_t left) {
    widgets_.presets.choose(id);
    widgets_.showGraph();
    if (left > 0) {
        widgets_.notices.showOfDocument(
            NoticeKind::Info,
            tr("“%1” has no place for %n prompts of the image.", nullptr, static_cast<int>(left))
                .arg(title));
    }
}

void PresetCommands::reportMissingFiles(const QString& id) {
    const PresetEntry* entry = workspace_.presets.find(id);
    if (entry && !entry->isComplete()) {
        const auto missing = std::ranges::count(entry->files, false, &RequiredFile::isThere);
        widgets_.notices.showOfDocument(
            NoticeKind::Warning,
            tr("%n files of “%1” are missing.", nullptr, static_cast<int>(missing))
                .arg(entry->title),
            tr("Find them..."),
            [this] { locate_.locate(std::string()); });
    }
}

void PresetCommands::save() {
    QImage thumbnail;
    for (const auto& [id, node] : workspace_.model.document().nodes) {
        const NodeDesc* desc = workspace_.model.desc(id);
        if (desc && desc->output && !workspace_.statuses.of(id).nodeImage.isNull()) {
            thumbnail = workspace_.statuses.of(id).nodeImage;
        }
    }
    PresetDialog dialog({.title = workspace_.file.name(), .description = {}, .tags = {}},
                        thumbnail,
                        &widgets_.window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    try {
        const PresetText text = dialog.text();
        widgets_.presets.choose(workspace_.presets.save(
            text, workspace_.model.document(), workspace_.file.folder(), thumbnail));
        workspace_.file.keptAsPreset(text.title);
        widgets_.notices.show(NoticeKind::Success, tr("Saved as the preset “%1”.").arg(text.title));
    } catch (const Error& error) {
        showError(&widgets_.window, tr("The preset is not saved"), error);
    }
}

void PresetCommands::showFirstStart() {
    FirstStart dialog(workspace_.settings(),
                      workspace_.presets,
                      foundDevice(workspace_.memory.now().devices),
                      &widgets_.window);
    connect(&workspace_.memory, &MemoryFeed::changed, &dialog, [&dialog](const MemoryNow& now) {
        dialog.setDevice(foundDevice(now.devices));
    });
    workspace_.memory.askNow();
    connect(&dialog, &FirstStart::presetChosen, this, [this](const QString& id) { open(id); });
    const bool isFirst = !workspace_.settings().preferences().isFirstStartDone;
    if (dialog.exec() == FirstStart::kLanguageChosen) {
        Q_EMIT firstStartAsked();
    } else if (isFirst) {
        widgets_.notices.show(NoticeKind::Info,
                              tr("New here? Take a one-minute tour of the window."),
                              tr("Take the tour"),
                              [this] { widgets_.actions.at("help.tour").trigger(); });
    }
}

}  // namespace lowtide::ui
