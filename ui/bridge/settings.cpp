#include "ui/bridge/settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/shared_json_file.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QFileInfo>
#include <QStandardPaths>

#include <array>
#include <atomic>

namespace lowtide::ui {

namespace {

constexpr std::array kDropped = {"ask", "open_graph", "use_as_input"};  ///< as DroppedImage

bool isText(const Json& json) {
    return json.is_string();
}

bool isTexts(const Json& json) {
    return json.is_array() && std::all_of(json.begin(), json.end(), isText);
}

QString textOf(const Json& json) {
    return QString::fromStdString(json.get<std::string>());
}

QStringList textsOf(const Json& json) {
    QStringList texts;
    for (const Json& each : json) {
        texts.push_back(textOf(each));
    }
    return texts;
}

Json jsonOf(const QStringList& texts) {
    Json json = Json::array();
    for (const QString& text : texts) {
        json.push_back(text.toStdString());
    }
    return json;
}

/// Reads keys one by one; what does not fit is named.
class Reading {
public:
    Reading(const Json& json, QStringList* refused) : json_(json), refused_(refused) {}

    template <class Check, class Take>
    void read(const char* key, Check&& fits, Take&& take) const {
        const auto found = json_.find(key);
        if (found == json_.end() || found->is_null()) {
            return;
        }
        if (fits(*found)) {
            take(*found);
        } else {
            refused_->push_back(QString::fromUtf8(key));
        }
    }

    void texts(const char* key, QStringList& target) const {
        read(key, isTexts, [&](const Json& json) { target = textsOf(json); });
    }

    void flag(const char* key, bool& target) const {
        read(
            key,
            [](const Json& json) { return json.is_boolean(); },
            [&](const Json& json) { target = json.get<bool>(); });
    }

    /// One of `choices`.
    template <size_t count>
    void choice(const char* key,
                const std::array<const char*, count>& choices,
                QString& target) const {
        const auto fits = [&](const Json& json) {
            return isText(json) && std::any_of(choices.begin(),
                                               choices.end(),
                                               [&](const char* each) { return json == each; });
        };
        read(key, fits, [&](const Json& json) { target = textOf(json); });
    }

private:
    const Json& json_;
    QStringList* refused_;
};

bool isBudget(const Json& json) {
    return isText(json) && (json == "" || memory::isMemoryBudget(json.get<std::string>()));
}

DroppedImage droppedFrom(const QString& name) {
    for (size_t i = 0; i < kDropped.size(); ++i) {
        if (name == QLatin1String(kDropped[i])) {
            return static_cast<DroppedImage>(i);
        }
    }
    return DroppedImage::Ask;
}

/// The preferences that a settings file states. A value of a wrong shape, or one that is not among
/// its choices, keeps its initial value; its key is put into `refused`.
Preferences preferencesFrom(const Json& json, QStringList* refused) {
    Preferences read;
    const Reading from(json, refused);
    from.choice("theme",
                std::array{"system", "light", "dark", "light_contrast", "dark_contrast"},
                read.theme);
    from.read("language", isText, [&](const Json& value) { read.language = textOf(value); });
    from.choice("motion", std::array{"system", "full", "reduced"}, read.motion);
    from.choice("scale", std::array{"100", "125", "150", "200"}, read.scale);
    from.texts("model_folders", read.modelFolders);
    from.texts("model_paths_files", read.modelPathsFiles);
    from.read("device", isText, [&](const Json& value) { read.device = textOf(value); });
    from.read(
        "memory_budget", isBudget, [&](const Json& value) { read.memoryBudget = textOf(value); });
    from.choice("low_memory", std::array{"auto", "on", "off"}, read.lowMemory);
    from.texts("recent_files", read.recentFiles);
    from.read("window_layout", isText, [&](const Json& value) {
        read.windowLayout = QByteArray::fromBase64(textOf(value).toLatin1());
    });
    from.read("window_geometry", isText, [&](const Json& value) {
        read.windowGeometry = QByteArray::fromBase64(textOf(value).toLatin1());
    });
    from.read(
        "output_folder", isText, [&](const Json& value) { read.outputFolder = textOf(value); });
    const auto isKeys = [](const Json& value) {
        return value.is_object() && std::all_of(value.begin(), value.end(), isText);
    };
    from.read("keys", isKeys, [&](const Json& value) {
        for (const auto& [action, keys] : value.items()) {
            read.keys[QString::fromStdString(action)] = textOf(keys);
        }
    });
    const auto isDefaults = [](const Json& value) {
        return value.is_object() && std::all_of(value.begin(), value.end(), [](const Json& ofType) {
                   return ofType.is_object();
               });
    };
    from.read("node_defaults", isDefaults, [&](const Json& value) { read.nodeDefaults = value; });
    from.flag("previews", read.showsPreviews);
    from.flag("filmstrip", read.showsFilmstrip);
    QString dropped;
    from.choice("dropped_picture", kDropped, dropped);
    read.droppedImage = droppedFrom(dropped);
    from.flag("notify_of_runs", read.notifiesOfRuns);
    const auto isSeconds = [](const Json& value) {
        return value.is_number_integer() && value.get<int64_t>() >= 0 &&
               value.get<int64_t>() <= kMostNotifySeconds;
    };
    from.read("notify_after_seconds", isSeconds, [&](const Json& value) {
        read.notifyAfterSeconds = value.get<int>();
    });
    from.flag("keep_awake", read.keepsAwake);
    from.flag("first_start_done", read.isFirstStartDone);
    return read;
}

/// Puts them into the object, next to what else it holds.
void putPreferences(const Preferences& preferences, Json& json) {
    json["theme"] = preferences.theme.toStdString();
    json["language"] = preferences.language.toStdString();
    json["motion"] = preferences.motion.toStdString();
    json["scale"] = preferences.scale.toStdString();
    json["model_folders"] = jsonOf(preferences.modelFolders);
    json["model_paths_files"] = jsonOf(preferences.modelPathsFiles);
    json["device"] = preferences.device.toStdString();
    json["memory_budget"] = preferences.memoryBudget.toStdString();
    json["low_memory"] = preferences.lowMemory.toStdString();
    json["recent_files"] = jsonOf(preferences.recentFiles);
    json["window_layout"] = preferences.windowLayout.toBase64().toStdString();
    json["window_geometry"] = preferences.windowGeometry.toBase64().toStdString();
    json["output_folder"] = preferences.outputFolder.toStdString();
    json["keys"] = Json::object();
    for (const auto& [action, keys] : preferences.keys) {
        json["keys"][action.toStdString()] = keys.toStdString();
    }
    json["node_defaults"] = preferences.nodeDefaults;
    json["previews"] = preferences.showsPreviews;
    json["filmstrip"] = preferences.showsFilmstrip;
    json["dropped_picture"] = kDropped[static_cast<size_t>(preferences.droppedImage)];
    json["notify_of_runs"] = preferences.notifiesOfRuns;
    json["notify_after_seconds"] = preferences.notifyAfterSeconds;
    json["keep_awake"] = preferences.keepsAwake;
    json["first_start_done"] = preferences.isFirstStartDone;
}

constexpr int64_t kVersion = 1;
constexpr const char* kVersionKey = "version";
constexpr Bytes kLargestSettingsFile = 4 * kMiB;
constexpr int kMostRecentFiles = 10;

QString message(const Error& error) {
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
    writing_->base = asJson();
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
        setAside(message(error));
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

/// As a file states it.
Json Settings::asJson() const {
    Json json = stored_;
    json[kVersionKey] = kVersion;
    putPreferences(preferences_, json);
    return json;
}

void Settings::write() {
    if (isReadOnly_) {
        return;
    }
    background_.run([this, writing = writing_, number = ++writing_->newest, mine = asJson()]()
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
        return tr("The settings could not be written: %1.").arg(message(error));
    }
}

Json NodeDefaults::of(const std::string& type, const std::string& param) const {
    return memberIn(memberIn(settings_.preferences().nodeDefaults, type.c_str()), param.c_str());
}

void NodeDefaults::set(const std::string& type, const std::string& param, const Json& value) {
    settings_.change(
        [&](Preferences& preferences) { preferences.nodeDefaults[type][param] = value; });
}

void NodeDefaults::forget(const std::string& type, const std::string& param) {
    settings_.change([&](Preferences& preferences) {
        const auto ofType = preferences.nodeDefaults.find(type);
        if (ofType != preferences.nodeDefaults.end()) {
            ofType->erase(param);
            if (ofType->empty()) {
                preferences.nodeDefaults.erase(ofType);
            }
        }
    });
}

void NodeDefaults::applyTo(graph::DocumentNode& node, const NodeDesc& desc) const {
    for (const ParamDesc& param : desc.params) {
        const Json value = of(desc.id, param.id);
        if (!value.is_null() && std::holds_alternative<Scalar>(graph::checkParam(param, value))) {
            node.params[param.id] = value;
        }
    }
}

}  // namespace lowtide::ui
