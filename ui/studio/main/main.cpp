#include "plugin/base/error.hpp"
#include "ui/bridge/model_folders.hpp"
#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"
#include "ui/studio/studio_window.hpp"

#include <QApplication>

#include <cstdio>

namespace {

using namespace lowtide;
using namespace lowtide::ui;

std::vector<std::string> textsOf(const QStringList& list) {
    std::vector<std::string> texts;
    for (const QString& each : list) {
        texts.push_back(each.toStdString());
    }
    return texts;
}

/// Folders of models are those that the module has from its start on.
door::PluginSettings pluginSettings(const Preferences& preferences,
                                    const StudioArguments& arguments) {
    door::PluginSettings settings{.threads = arguments.threads};
    const ResolvedFolders resolved =
        resolveFolders(textsOf(preferences.modelFolders + arguments.modelFolders),
                       textsOf(preferences.modelPathsFiles));
    for (const ModelFolder& folder : resolved.folders) {
        settings.modelFolders.push_back(folder.path);
    }
    return settings;
}

int runStudio(QApplication& application, const StudioArguments& arguments) {
    const Places places = standardPlaces();
    Settings settings(places.settings);
    Appearance appearance;
    appearance.use(settings.preferences().theme);
    StudioWindow window(
        {.open = [&]() -> Plugin& {
             return door::startPlugin(pluginSettings(settings.preferences(), arguments));
         },
         .places = places,
         .arguments = arguments},
        settings,
        appearance);
    window.show();
    return application.exec();
}

}  // namespace

int main(int count, char** words) {
    door::keepBigBlocks();
    door::shortenSpins();
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(count, words);
    QApplication::setApplicationName(QStringLiteral("lowtide-studio"));
    QApplication::setApplicationVersion(QStringLiteral(LOWTIDE_VERSION));
    const ParsedArguments parsed = parseArguments(QApplication::arguments());
    if (!parsed.output.isEmpty()) {
        std::fputs(qPrintable(parsed.output), parsed.exitCode == 0 ? stdout : stderr);
        return parsed.exitCode;
    }
    return runStudio(application, parsed.arguments);
}
