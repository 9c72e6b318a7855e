#include "ui/studio/app_folders.hpp"

#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/loader/os.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <QDir>
#include <QStandardPaths>

#include <exception>

namespace lowtide::ui {

namespace {

constexpr const char* kInBuildAndPackage = "/../lib/lowtide/resources";

/// The module looks for its own next to its file; the studio shows the same pages.
QString resourcesFolder() {
    try {
        return QString::fromStdString(loader::resourcesFolder());
    } catch (const std::exception&) {  // there is no module; the window reports it
        return QDir::cleanPath(QString::fromStdString(loader::programFolder()) +
                               QLatin1String(kInBuildAndPackage));
    }
}

}  // namespace

AppFolders standardFolders() {
    const QString own = qEnvironmentVariable("LOWTIDE_STUDIO_DATA");
    const QString data =
        own.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                            QStringLiteral("/lowtide")
                      : own;
    return {
        .resources = resourcesFolder(),
        .settings =
            own.isEmpty() ? Settings::defaultPath() : own + QStringLiteral("/settings.json"),
        .presets = own.isEmpty() ? PresetStore::defaultFolder() : own + QStringLiteral("/presets"),
        .nodes = data + QStringLiteral("/nodes.json"),
        .journals = data + QStringLiteral("/journal"),
        .backups = data + QStringLiteral("/backups"),
        .wildcards = data + QStringLiteral("/wildcards"),
        .styles = data + QStringLiteral("/styles.json"),
        .runs = data + QStringLiteral("/runs"),
        .pasted = data + QStringLiteral("/pasted"),
        .models = data + QStringLiteral("/models"),
        .images = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation) +
                  QStringLiteral("/Lowtide")};
}

}  // namespace lowtide::ui
