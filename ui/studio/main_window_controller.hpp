#pragma once

#include "ui/studio/dropped_file.hpp"
#include "ui/studio/file_commands.hpp"
#include "ui/studio/full_view.hpp"
#include "ui/studio/input_images.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/mask_controller.hpp"
#include "ui/studio/memory_strip.hpp"
#include "ui/studio/missing_files.hpp"
#include "ui/studio/model_commands.hpp"
#include "ui/studio/preset_commands.hpp"
#include "ui/studio/run_commands.hpp"
#include "ui/studio/sheet_controller.hpp"
#include "ui/studio/tour.hpp"
#include "ui/studio/viewer_controller.hpp"

namespace lowtide::ui {

/// Everything that a window shows while there is a workspace, and the objects that act on it.
class MainWindowController : public QObject {
    Q_OBJECT

public:
    explicit MainWindowController(const MainWindowParts& parts);
    /// Takes its widgets away first: they look at the workspace.
    ~MainWindowController() override;

    [[nodiscard]] MainWindowWidgets& widgets() { return widgets_; }

    [[nodiscard]] FileCommands& files() { return files_; }

    [[nodiscard]] PresetCommands& presets() { return presets_; }

    [[nodiscard]] RunCommands& runs() { return runs_; }

    [[nodiscard]] DroppedFile& dropped() { return dropped_; }

    [[nodiscard]] FullView& fullView() { return fullView_; }

    /// Runs that waited when a studio ended may run now.
    void offerLeftOpen();

private:
    void connectEdit();
    void connectPrompts();
    void connectToolBar();
    void connectLog();
    void connectMemory();

    Workspace& workspace_;
    MainWindowWidgets widgets_;
    FullView fullView_;
    FileCommands files_;
    ViewerController viewing_;
    LocateFile locate_;
    ModelCommands models_;
    PresetCommands presets_;
    RunCommands runs_;
    DroppedFile dropped_;
    MaskController masks_;
    MemoryStrip* memoryStrip_;
    GalleryController* earlier_ = nullptr;
    QPointer<Tour> tour_;  ///< nullptr: nobody takes it
};

/// "CPU holds 21.5 MiB, 18.9 GiB are free": one part for each device that holds something.
/// `rehearsed`: memory of the rehearsed card; 0: none, or not stated.
[[nodiscard]] QString memoryLine(const MemoryNow& now, Bytes rehearsed = 0);

}  // namespace lowtide::ui
