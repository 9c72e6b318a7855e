#pragma once

#include "ui/bridge/app_state.hpp"
#include "ui/bridge/conversion.hpp"
#include "ui/bridge/model_images.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/bridge/model_plans.hpp"
#include "ui/bridge/model_shelf.hpp"
#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/prompt_library.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/studio/arguments.hpp"
#include "ui/studio/document_file.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// Everything behind a window whose engine runs: the app state, its file, and the presets and
/// models of the user.
class Workspace : public AppState {
    Q_OBJECT

public:
    /// `plugin` was started; `settings` must outlive it.
    Workspace(Plugin& plugin,
              Settings& settings,
              const AppFolders& appFolders,
              const StudioArguments& arguments);

    NodeDefaults defaults;
    PresetStore presets;
    ModelLibrary models;
    ModelShelf shelf;
    ModelImages modelImages;
    ModelPlans modelPlans;
    PromptLibrary prompts;
    OfferedModels offered;
    DocumentFile file;
    Conversion conversion;
    bool isRehearsalAgreed = false;  ///< the user was asked before the first rehearsal

    /// Texts of nodes, presets and issues in the language of the program.
    void speakAgain();

    [[nodiscard]] Settings& settings() { return settings_; }

private:
    void passOptions();
    void reportModels();
    void setImporter();

    Settings& settings_;
    AppFolders appFolders_;
    StudioArguments arguments_;
    QStringList modelFolders_;
    QStringList modelPathsFiles_;
};

/// The folders of models that the module is started with.
[[nodiscard]] std::vector<std::string> engineFolders(const Preferences& preferences,
                                                     const StudioArguments& arguments);

/// Options of runs and plans: the command line's stand before the graph's, the settings' behind.
[[nodiscard]] Json runOptions(const graph::Document& document,
                              const Preferences& preferences,
                              const StudioArguments& arguments,
                              const QString& graphFolder);

}  // namespace lowtide::ui
