#include "ui/bridge/preferences_json.hpp"

#include "plugin/memory/device_spec.hpp"

#include <array>

namespace lowtide::ui {

namespace {

constexpr std::array kDropped = {"ask", "open_graph", "use_as_input"};  ///< as DroppedPicture

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

DroppedPicture droppedFrom(const QString& name) {
    for (size_t i = 0; i < kDropped.size(); ++i) {
        if (name == QLatin1String(kDropped[i])) {
            return static_cast<DroppedPicture>(i);
        }
    }
    return DroppedPicture::Ask;
}

}  // namespace

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
    read.droppedPicture = droppedFrom(dropped);
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
    json["dropped_picture"] = kDropped[static_cast<size_t>(preferences.droppedPicture)];
    json["notify_of_runs"] = preferences.notifiesOfRuns;
    json["notify_after_seconds"] = preferences.notifyAfterSeconds;
    json["keep_awake"] = preferences.keepsAwake;
    json["first_start_done"] = preferences.isFirstStartDone;
}

}  // namespace lowtide::ui
