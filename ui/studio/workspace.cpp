#include "ui/studio/workspace.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/door/os.hpp"
#include "ui/models/model_folders.hpp"

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
                     const Places& places,
                     const StudioArguments& arguments)
    : Session(plugin, AtEnd::StopsModule, places.runs),
      defaults(settings),
      presets(engine.catalog(), places.resources + QStringLiteral("/presets"), places.presets),
      models(recogniserOf(engine)),
      shelf(places.models),
      modelPictures(shelf),
      modelPlans(engine.runner()),
      prompts({.wildcards = places.wildcards, .styles = places.styles},
              model,
              planning,
              models,
              library.get()),
      offered(models, places.resources),
      file(model, places),
      conversion(engine),
      settings_(settings),
      places_(places),
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
            tellOptions();
        }
    });
    connect(&file, &DocumentFile::moved, this, &Workspace::tellOptions);
    connect(&settings_, &Settings::changed, this, [this] {
        tellOptions();
        tellModels();
    });
    models.setEngineFolders(engineFolders(settings_.preferences(), arguments_));
    const auto lookForFiles = [this] { presets.setIsThere(models.whatIsThere()); };
    connect(&models, &ModelLibrary::scanned, &presets, lookForFiles);
    lookForFiles();
    tellOptions();
    tellModels();
}

void Workspace::speakAgain() {
    engine.reword();
    presets.reload();
    planning.askNow();
}

void Workspace::tellOptions() {
    const QString chosen = settings_.preferences().outputFolder;
    run.setName(file.name());
    run.setPreviews(settings_.preferences().showsPreviews);
    run.setOutputFolder(chosen.isEmpty() ? places_.pictures : chosen);
    const graph::Document& document = model.document();
    const Json options = runOptions(document, settings_.preferences(), arguments_, file.folder());
    planning.setOptions(options);
    modelPlans.setOptions(planning.options());
    document.memoryBudget || options.contains("memoryBudget") ? door::returnBigBlocks()
                                                              : door::keepBigBlocks();
}

void Workspace::tellModels() {
    const QStringList folders = settings_.preferences().modelFolders + arguments_.modelFolders;
    const QStringList& files = settings_.preferences().modelPathsFiles;
    if (std::exchange(modelFolders_, folders) != folders ||
        std::exchange(modelPathsFiles_, files) != files) {
        models.setFolders(folders, files);
    }
}

}  // namespace lowtide::ui
