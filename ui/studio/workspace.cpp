#include "ui/studio/workspace.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/loader/os.hpp"
#include "ui/models/model_folders.hpp"
#include "ui/studio/graph_import.hpp"

#include <utility>

namespace lowtide::ui {

namespace {

void put(Json& options, const char* key, const QString& value) {
    if (!value.isEmpty()) {
        options[key] = value.toStdString();
    }
}

/// What the run's device may hold; 0: not planned.
Bytes budgetOf(const Json& plan) {
    const Json& devices = memberIn(plan, "devices");
    return devices.is_array() && !devices.empty() ? bytesIn(devices.front(), "capacity") : 0;
}

std::vector<std::string> textsOf(const QStringList& list) {
    std::vector<std::string> texts;
    for (const QString& each : list) {
        texts.push_back(each.toStdString());
    }
    return texts;
}

}  // namespace

Json runOptions(const graph::Document& document,
                const Preferences& preferences,
                const StudioArguments& arguments,
                const QString& graphFolder) {
    Json options = Json::object();
    if (!document.device) {
        put(options, "device", preferences.device);
    }
    if (!document.memoryBudget) {
        put(options, "memoryBudget", preferences.memoryBudget);
    }
    if (!document.lowMemory && preferences.lowMemory != QLatin1String("auto")) {
        put(options, "lowMemory", preferences.lowMemory);
    }
    if (preferences.showsPreviews) {
        options["previews"] = true;
    }
    put(options, "device", arguments.device);
    put(options, "memoryBudget", arguments.memoryBudget);
    put(options, "graphFolder", graphFolder);
    return options;
}

std::vector<std::string> engineFolders(const Preferences& preferences,
                                       const StudioArguments& arguments) {
    const ResolvedFolders resolved =
        resolveFolders(textsOf(preferences.modelFolders + arguments.modelFolders),
                       textsOf(preferences.modelPathsFiles));
    std::vector<std::string> folders;
    for (const ModelFolder& folder : resolved.folders) {
        folders.push_back(folder.path);
    }
    return folders;
}

Workspace::Workspace(Plugin& plugin,
                     Settings& settings,
                     const AppFolders& appFolders,
                     const StudioArguments& arguments)
    : AppState(plugin, AtEnd::StopsModule, appFolders.runs),
      defaults(settings),
      presets(
          engine.catalog(), appFolders.resources + QStringLiteral("/presets"), appFolders.presets),
      models(recogniserOf(engine)),
      shelf(appFolders.models),
      modelImages(shelf),
      modelPlans(engine.runner()),
      prompts({.wildcards = appFolders.wildcards, .styles = appFolders.styles},
              model,
              planning,
              models,
              library.get()),
      offered(models, appFolders.resources),
      file(model, appFolders),
      conversion(engine),
      settings_(settings),
      appFolders_(appFolders),
      arguments_(arguments) {
    offered.setPrompts(&prompts);
    connect(&prompts, &PromptLibrary::wildcardsChanged, this, [this] {
        planning.setWildcards(prompts.wildcards());
        run.setWildcards(prompts.wildcards());
    });
    connect(&queue, &RunQueue::listChanged, &prompts, &PromptLibrary::forgetOwnWords);
    connect(&planning, &Planning::answered, this, [this](const Planned& planned) {
        models.setBudget(budgetOf(planned.plan));
    });
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.settings || delta.reset) {
            passOptions();
        }
    });
    connect(&file, &DocumentFile::moved, this, &Workspace::passOptions);
    connect(&settings_, &Settings::changed, this, [this] {
        passOptions();
        reportModels();
    });
    models.setEngineFolders(engineFolders(settings_.preferences(), arguments_));
    const auto lookForFiles = [this] { presets.setIsThere(models.whatIsThere()); };
    connect(&models, &ModelLibrary::scanned, &presets, lookForFiles);
    lookForFiles();
    connect(&models, &ModelLibrary::scanned, this, &Workspace::setImporter);
    passOptions();
    reportModels();
    setImporter();
}

void Workspace::speakAgain() {
    engine.reword();
    presets.reload();
    planning.askNow();
}

void Workspace::passOptions() {
    const QString chosen = settings_.preferences().outputFolder;
    run.setName(file.name());
    run.setPreviews(settings_.preferences().showsPreviews);
    run.setOutputFolder(chosen.isEmpty() ? appFolders_.images : chosen);
    const graph::Document& document = model.document();
    const Json options = runOptions(document, settings_.preferences(), arguments_, file.folder());
    planning.setOptions(options);
    modelPlans.setOptions(planning.options());
    document.memoryBudget || options.contains("memoryBudget") ? loader::returnBigBlocks()
                                                              : loader::keepBigBlocks();
}

void Workspace::setImporter() {
    file.setImporter(importerOf(engine, models, modelFolders_));
}

void Workspace::reportModels() {
    const QStringList folders = settings_.preferences().modelFolders + arguments_.modelFolders;
    const QStringList& files = settings_.preferences().modelPathsFiles;
    if (std::exchange(modelFolders_, folders) != folders ||
        std::exchange(modelPathsFiles_, files) != files) {
        models.setFolders(folders, files);
        setImporter();
    }
}

}  // namespace lowtide::ui
