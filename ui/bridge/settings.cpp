#include "ui/bridge/settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/path_parts.hpp"
#include "ui/bridge/preferences_json.hpp"

#include <QFileInfo>
#include <QStandardPaths>

namespace lowtide::ui {

namespace {

constexpr int64_t kVersion = 1;
constexpr const char* kVersionKey = "version";
constexpr Bytes kLargestSettingsFile = 4 * kMiB;
constexpr int kMostRecentFiles = 10;

QString said(const Error& error) {
    return QString::fromStdString(error.message());
}

/// "settings.json.broken-1", the first that is free.
QString freeName(const QString& path) {
    int number = 1;
    QString name;
    do {
        name = path + QStringLiteral(".broken-%1").arg(number++);
    } while (QFileInfo::exists(name));
    return name;
}

}  // namespace

Settings::Settings(const QString& path, QObject* parent) : QObject(parent), path_(path) {
    if (QFileInfo::exists(path_)) {
        read();
    }
}

void Settings::change(const std::function<void(Preferences&)>& edit) {
    Preferences changedOnes = preferences_;
    edit(changedOnes);
    if (changedOnes == preferences_) {
        return;
    }
    preferences_ = std::move(changedOnes);
    write();
    Q_EMIT changed();
}

void Settings::addRecentFile(const QString& path) {
    change([&](Preferences& preferences) {
        preferences.recentFiles.removeAll(path);
        preferences.recentFiles.prepend(path);
        preferences.recentFiles = preferences.recentFiles.mid(0, kMostRecentFiles);
    });
}

QString Settings::defaultPath() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/lowtide/settings.json");
}

void Settings::read() {
    try {
        const files::InputFile file(path_.toStdString());
        Json json = parseJson(file.readAll(kLargestSettingsFile), "settings");
        const int64_t version =
            JsonReader(json, "settings").integer(kVersionKey).value_or(kVersion);
        stored_ = std::move(json);
        if (version > kVersion) {
            isReadOnly_ = true;
            problem_ = tr("The settings are of version %1, this program knows version %2. They are "
                          "left as they are; what you change here is not kept.")
                           .arg(version)
                           .arg(kVersion);
        }
        readValues(stored_);
    } catch (const Error& error) {
        setAside(said(error));
    }
}

void Settings::readValues(const Json& values) {
    QStringList refused;
    preferences_ = preferencesFrom(values, &refused);
    if (!refused.isEmpty() && problem_.isEmpty()) {
        problem_ = tr("Some settings could not be read and are as they were at first: %1.")
                       .arg(refused.join(QStringLiteral(", ")));
    }
}

void Settings::setAside(const QString& reason) {
    const QString name = freeName(path_);
    const bool isMoved = QFile::rename(path_, name);
    isReadOnly_ = !isMoved;
    problem_ = isMoved ? tr("The settings could not be read (%1). They are as they were at first; "
                            "the old file is kept as %2.")
                             .arg(reason, QFileInfo(name).fileName())
                       : tr("The settings could not be read (%1), nor renamed. They are as they "
                            "were at first, and what you change is not kept.")
                             .arg(reason);
}

void Settings::write() {
    if (isReadOnly_) {
        return;
    }
    Json json = stored_;
    json[kVersionKey] = kVersion;
    putPreferences(preferences_, json);
    try {
        const std::string path = path_.toStdString();
        files::makeFolders(files::folderOf(path));
        files::writeFileAtomically(path, json.dump(2) + "\n");
        stored_ = std::move(json);
    } catch (const Error& error) {
        Q_EMIT notKept(tr("The settings could not be written: %1.").arg(said(error)));
    }
}

}  // namespace lowtide::ui
