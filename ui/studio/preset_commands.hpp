#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/bridge/preset_store.hpp"
#include "ui/studio/file_commands.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/missing_files.hpp"

#include <QMenu>

#include <functional>
#include <optional>
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

/// Opens presets, with an image of the user's where they begin with one, and keeps the graph as
/// one.
class PresetCommands : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    PresetCommands(MainWindowWidgets& widgets, FileCommands& files, LocateFile& locate);

    /// `then` is called with whether it is open; otherwise the user keeps what is open. `image`: an
    /// image or video in place of the one with which it begins; empty: its own.
    void open(const QString& id, const FileCommands::Then& then = {}, const QString& image = {});
    /// What a user sees who starts for the first time.
    void showFirstStart();

Q_SIGNALS:
    /// The first start again, as it is in the language that was chosen there.
    void firstStartAsked();

private:
    void connectBrowser();
    [[nodiscard]] QMenu* menuFor(QWidget& owner, std::function<QString()> image);
    void askGraphOf(const QString& image,
                    const std::function<void(const std::optional<graph::Document>&)>& then);
    void openLike(const QString& id,
                  const QString& image,
                  const std::optional<graph::Document>& made,
                  const FileCommands::Then& then);
    void show(const QString& id, const QString& title, size_t left);
    void reportMissingFiles(const QString& id);
    void save();

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    FileCommands& files_;
    LocateFile& locate_;
};

}  // namespace lowtide::ui
