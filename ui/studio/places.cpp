#include "ui/studio/places.hpp"

#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/door/os.hpp"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace lowtide::ui {

namespace {

constexpr const char* kBesideModule = "/lowtide/resources";

/// The module looks for its own beside its file; the studio shows the same pages.
QString resourcesFolder() {
    const QString module = qEnvironmentVariable("LOWTIDE_PLUGIN_PATH");
    if (!module.isEmpty()) {
        return QFileInfo(module).absolutePath() + QLatin1String(kBesideModule);
    }
    return QDir::cleanPath(QString::fromStdString(door::programFolder()) +
                           QStringLiteral("/../lib") + QLatin1String(kBesideModule));
}

}  // namespace

Places standardPlaces() {
    const QString own = qEnvironmentVariable("LOWTIDE_STUDIO_DATA");
    const QString data =
        own.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                            QStringLiteral("/lowtide")
                      : own;
    return {.resources = resourcesFolder(),
            .settings =
                own.isEmpty() ? Settings::defaultPath() : own + QStringLiteral("/settings.json"),
            .presets =
                own.isEmpty() ? PresetStore::defaultFolder() : own + QStringLiteral("/presets"),
            .journals = data + QStringLiteral("/journal"),
            .backups = data + QStringLiteral("/backups"),
            .pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation) +
                        QStringLiteral("/Lowtide")};
}

}  // namespace lowtide::ui
