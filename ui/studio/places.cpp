#include "ui/studio/places.hpp"

#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"

#include <QDir>
#include <QStandardPaths>

#include <exception>

namespace lowtide::ui {

namespace {

constexpr const char* kInBuildAndPackage = "/../lib/lowtide/resources";

/// The module looks for its own beside its file; the studio shows the same pages.
QString resourcesFolder() {
    try {
        return QString::fromStdString(door::resourcesFolder());
    } catch (const std::exception&) {  // there is no module; the window says so
        return QDir::cleanPath(QString::fromStdString(door::programFolder()) +
                               QLatin1String(kInBuildAndPackage));
    }
}

}  // namespace

Places standardPlaces() {
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
        .pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation) +
                    QStringLiteral("/Lowtide")};
}

}  // namespace lowtide::ui
