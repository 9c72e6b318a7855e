#include "ui/studio/workspace.hpp"

#include "ui/bridge/answer.hpp"

#include <QFileInfo>

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

QString folderOf(const QString& path) {
    return path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
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

Workspace::Workspace(Plugin& plugin,
                     Settings& settings,
                     const Places& places,
                     const StudioArguments& arguments)
    : defaults(settings),
      engine(plugin),
      model(engine.catalog()),
      queue(engine.runner()),
      planning(engine.runner(), model),
      memory(engine.runner()),
      presets(engine.catalog(), places.resources + QStringLiteral("/presets"), places.presets),
      offered(models),
      file(model, places),
      run(model, queue, planning, statuses),
      settings_(settings),
      places_(places),
      arguments_(arguments) {
    connect(&planning, &Planning::answered, this, [this](const Planned& planned) {
        statuses.setChecked(planned.issues);
        statuses.setPlan(planned.plan);
        models.setBudget(budgetOf(planned.plan));
    });
    connect(&queue, &RunQueue::ended, &planning, &Planning::askNow);
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.settings || delta.reset) {
            tellOptions();
        }
        if (delta.reset) {
            run.forgetRuns();
        }
    });
    connect(&file, &DocumentFile::moved, this, &Workspace::tellOptions);
    connect(&settings_, &Settings::changed, this, [this] {
        tellOptions();
        tellModels();
    });
    presets.setIsThere([this](const std::string& value, const QString& folder) {
        return models.isThere(value, folder);
    });
    connect(&models, &ModelLibrary::scanned, &presets, &PresetStore::reload);
    tellOptions();
    tellModels();
}

void Workspace::tellOptions() {
    const QString chosen = settings_.preferences().outputFolder;
    run.setName(file.name());
    run.setPreviews(settings_.preferences().showsPreviews);
    run.setOutputFolder(chosen.isEmpty() ? places_.pictures : chosen);
    planning.setOptions(
        runOptions(model.document(), settings_.preferences(), arguments_, folderOf(file.path())));
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
