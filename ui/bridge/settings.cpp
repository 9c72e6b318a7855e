#include "ui/bridge/settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/preferences_json.hpp"
#include "ui/bridge/shared_json_file.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QFileInfo>
#include <QStandardPaths>

#include <atomic>

namespace lowtide::ui {

namespace {

constexpr int64_t kVersion = 1;
constexpr const char* kVersionKey = "version";
constexpr Bytes kLargestSettingsFile = 4 * kMiB;
constexpr int kMostRecentFiles = 10;

QString said(const Error& error) {
    return errorText(error);
}

}  // namespace

/// Of the writing thread.
struct Settings::Writing {
    std::string path;
    Json base = Json::object();  ///< what was read or written here last
    std::atomic<int> newest{0};  ///< of the writings that were asked for

    /// Why it was not written; empty: it was, or a newer one follows.
    QString write(int number, const Json& mine);
};

Settings::Settings(const QString& path, QObject* parent)
    : QObject(parent), path_(path), writing_(std::make_shared<Writing>()) {
    if (QFileInfo::exists(path_)) {
        read();
    }
    writing_->path = path_.toStdString();
    writing_->base = told();
}

Settings::~Settings() {
    finish();
}

void Settings::finish() {
    background_.finish();
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
            problem_ = tr("These settings are of version %1, this program knows version %2. They "
                          "are left alone, and changes made here are not kept.")
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
    preferences_.recentFiles = preferences_.recentFiles.mid(0, kMostRecentFiles);
    if (!refused.isEmpty() && problem_.isEmpty()) {
        problem_ =
            tr("Some settings could not be read and have their defaults: %1.").arg(listed(refused));
    }
}

void Settings::setAside(const QString& reason) {
    const QString name = setBrokenAside(path_);
    isReadOnly_ = name.isEmpty();
    problem_ = !isReadOnly_
                   ? tr("The settings could not be read (%1). The defaults are used; the old "
                        "file is kept as %2.")
                         .arg(reason, QFileInfo(name).fileName())
                   : tr("The settings could not be read (%1), nor renamed. The defaults are "
                        "used, and changes are not kept.")
                         .arg(reason);
}

/// As a file says it.
Json Settings::told() const {
    Json json = stored_;
    json[kVersionKey] = kVersion;
    putPreferences(preferences_, json);
    return json;
}

void Settings::write() {
    if (isReadOnly_) {
        return;
    }
    background_.run([this, writing = writing_, number = ++writing_->newest, mine = told()]()
                        -> Background::Answer {
        const QString problem = writing->write(number, mine);
        if (problem.isEmpty()) {
            return {};
        }
        return [this, problem] { Q_EMIT notKept(problem); };
    });
}

QString Settings::Writing::write(int number, const Json& mine) {
    if (number != newest) {
        return {};
    }
    try {
        const SharedJsonFile file(path, kLargestSettingsFile);
        const Json json = file.merged(base, mine);
        if (JsonReader(json, "settings").integer(kVersionKey).value_or(kVersion) > kVersion) {
            return tr(
                "A newer version of the program has written the settings meanwhile; changes made "
                "here are not kept.");
        }
        file.write(json.dump(2) + "\n");
        base = mine;
        return {};
    } catch (const Error& error) {
        return tr("The settings could not be written: %1.").arg(said(error));
    }
}

}  // namespace lowtide::ui
