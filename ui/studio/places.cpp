#include "ui/studio/places.hpp"

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
    QString data = qEnvironmentVariable("LOWTIDE_STUDIO_DATA");
    if (data.isEmpty()) {
        data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
               QStringLiteral("/lowtide");
    }
    return {.resources = resourcesFolder(),
            .data = data,
            .journals = data + QStringLiteral("/journal"),
            .backups = data + QStringLiteral("/backups"),
            .pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation) +
                        QStringLiteral("/Lowtide")};
}

}  // namespace lowtide::ui
