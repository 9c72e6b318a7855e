#include "ui/bridge/settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <utility>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr int kMostRecentFiles = 10;

using Keys = std::map<QString, QString>;
using Check = std::function<bool(const Json&)>;

/// In the order of DroppedImage.
const Json kDropped = {"ask", "open_graph", "use_as_input"};

template <class Value>
Json jsonOf(const Value& value) {
    return value;
}

Json jsonOf(const QString& text) {
    return text.toStdString();
}

Json jsonOf(const QByteArray& bytes) {
    return bytes.toBase64().toStdString();
}

Json jsonOf(DroppedImage what) {
    return kDropped[static_cast<size_t>(what)];
}

Json jsonOf(const QStringList& texts) {
    Json json = Json::array();
    for (const QString& text : texts) {
        json.push_back(text.toStdString());
    }
    return json;
}

Json jsonOf(const Keys& keys) {
    Json json = Json::object();
    for (const auto& [action, key] : keys) {
        json[action.toStdString()] = key.toStdString();
    }
    return json;
}

/// A value of another type is a Json::type_error, here and in the functions that follow.
template <class Value>
void take(const Json& json, Value& to) {
    to = json.get<Value>();
}

void take(const Json& json, QString& to) {
    to = QString::fromStdString(json.get<std::string>());
}

void take(const Json& json, QByteArray& to) {
    to = QByteArray::fromBase64(QByteArray::fromStdString(json.get<std::string>()));
}

void take(const Json& json, DroppedImage& to) {
    to = static_cast<DroppedImage>(std::find(kDropped.begin(), kDropped.end(), json) -
                                   kDropped.begin());
}

void take(const Json& json, QStringList& to) {
    for (const std::string& text : json.get<std::vector<std::string>>()) {
        to.push_back(QString::fromStdString(text));
    }
}

void take(const Json& json, Keys& to) {
    for (const auto& [action, key] : json.get<std::map<std::string, std::string>>()) {
        to[QString::fromStdString(action)] = QString::fromStdString(key);
    }
}

/// A key of the file, and the preference that it is.
struct Field {
    const char* key;
    Check fits;  ///< empty: every value of its type
    void (*read)(const Json& json, Preferences& preferences);
    Json (*write)(const Preferences& preferences);
};

template <auto member>
Field field(const char* key, Check fits = {}) {
    return {key,
            std::move(fits),
            [](const Json& json, Preferences& preferences) { take(json, preferences.*member); },
            [](const Preferences& preferences) { return jsonOf(preferences.*member); }};
}

Check oneOf(const Json& choices) {
    return [choices](const Json& json) {
        return std::find(choices.begin(), choices.end(), json) != choices.end();
    };
}

bool isBudget(const Json& json) {
    return json == "" || memory::isMemoryBudget(json.get<std::string>());
}

bool isDefaults(const Json& json) {
    return json.is_object() && std::all_of(json.begin(), json.end(), [](const Json& ofType) {
               return ofType.is_object();
           });
}

bool isSeconds(const Json& json) {
    return json.is_number_integer() && json.get<int64_t>() >= 0 &&
           json.get<int64_t>() <= kMostNotifySeconds;
}

const std::vector<Field>& fields() {
    using P = Preferences;
    static const std::vector<Field> all = {
        field<&P::theme>("theme",
                         oneOf({"system", "light", "dark", "light_contrast", "dark_contrast"})),
        field<&P::language>("language"),
        field<&P::motion>("motion", oneOf({"system", "full", "reduced"})),
        field<&P::scale>("scale", oneOf({"100", "125", "150", "200"})),
        field<&P::modelFolders>("model_folders"),
        field<&P::modelPathsFiles>("model_paths_files"),
        field<&P::device>("device"),
        field<&P::memoryBudget>("memory_budget", isBudget),
        field<&P::lowMemory>("low_memory", oneOf({"auto", "on", "off"})),
        field<&P::recentFiles>("recent_files"),
        field<&P::windowLayout>("window_layout"),
        field<&P::windowGeometry>("window_geometry"),
        field<&P::outputFolder>("output_folder"),
        field<&P::keys>("keys"),
        field<&P::nodeDefaults>("node_defaults", isDefaults),
        field<&P::showsPreviews>("previews"),
        field<&P::showsFilmstrip>("filmstrip"),
        field<&P::opensNodeMemory>("node_memory_open"),
        field<&P::droppedImage>("dropped_picture", oneOf(kDropped)),
        field<&P::notifiesOfRuns>("notify_of_runs"),
        field<&P::notifyAfterSeconds>("notify_after_seconds", isSeconds),
        field<&P::keepsAwake>("keep_awake"),
        field<&P::isFirstStartDone>("first_start_done"),
    };
    return all;
}

/// False: the value is of a wrong shape, or not among its choices.
bool readField(const Field& field, const Json& json, Preferences& preferences) {
    try {
        if (field.fits && !field.fits(json)) {
            return false;
        }
        field.read(json, preferences);
        return true;
    } catch (const Json::type_error&) {
        return false;
    }
}

/// The preferences that a settings file states. What does not fit keeps its initial value; its key
/// is put into `refused`.
Preferences preferencesFrom(const Json& json, QStringList& refused) {
    Preferences read;
    for (const Field& field : fields()) {
        const Json& value = memberIn(json, field.key);
        if (!value.is_null() && !readField(field, value, read)) {
            refused.push_back(QString::fromUtf8(field.key));
        }
    }
    return read;
}

constexpr int64_t kVersion = 1;
constexpr const char* kVersionKey = "version";
constexpr Bytes kLargestSettingsFile = 4 * kMiB;
constexpr int kIndent = 2;

int64_t versionOf(const Json& settings) {
    return JsonReader(settings, "settings").integer(kVersionKey).value_or(kVersion);
}

}  // namespace

Settings::Settings(const QString& path, QObject* parent)
    : QObject(parent), store_(path, "settings", kLargestSettingsFile, kIndent) {
    if (QFileInfo::exists(path)) {
        read();
    }
    store_.setKnown(asJson());
}

Settings::~Settings() {
    finish();
}

void Settings::finish() {
    store_.finish();
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
        Json json = store_.read();
        const int64_t version = versionOf(json);
        stored_ = std::move(json);
        if (version > kVersion) {
            isReadOnly_ = true;
            problem_ = tr("These settings are of version %1, this program knows version %2. They "
                          "are left alone, and changes made here are not kept.")
                           .arg(version)
                           .arg(kVersion);
        }
    } catch (const Error& error) {
        setAside(errorText(error));
    }
    QStringList refused;
    preferences_ = preferencesFrom(stored_, refused);
    preferences_.recentFiles = preferences_.recentFiles.mid(0, kMostRecentFiles);
    if (!refused.isEmpty() && problem_.isEmpty()) {
        problem_ =
            tr("Some settings could not be read and have their defaults: %1.").arg(listed(refused));
    }
}

void Settings::setAside(const QString& reason) {
    const QString name = setBrokenAside(store_.path());
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
    for (const Field& field : fields()) {
        json[field.key] = field.write(preferences_);
    }
    return json;
}

void Settings::write() {
    if (isReadOnly_) {
        return;
    }
    store_.write(
        asJson(),
        [](const Json& whole) { return versionOf(whole) <= kVersion; },
        [this](const Error* error) {
            writeProblem_ =
                error ? tr("The settings could not be written: %1.").arg(errorText(*error))
                      : tr("A newer version of the program has written the settings meanwhile; "
                           "changes made here are not kept.");
            Q_EMIT notKept(writeProblem_);
        },
        [this] {
            if (!std::exchange(writeProblem_, QString()).isEmpty()) {
                Q_EMIT keptAgain();
            }
        });
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
