#pragma once

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/bridge/json_store.hpp"

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <string>

namespace lowtide::ui {

/// What happens to an image that carries a graph and is dropped on the window.
enum class DroppedImage { Ask, OpenGraph, UseAsInput };

/// The longest time that Preferences::notifyAfterSeconds may be.
inline constexpr int kMostNotifySeconds = 24 * 3600;

/// What a user chose for every graph.
struct Preferences {
    QString theme = "system";     ///< "system", "light", "dark", "light_contrast", "dark_contrast"
    QString motion = "system";    ///< "system", "full", "reduced"
    QString scale = "100";        ///< of texts and controls, in percent of the system's
    QString language = "system";  ///< "system", or a code such as "zh_CN"
    QStringList modelFolders;     ///< as they were chosen, of any layout
    QStringList modelPathsFiles;  ///< extra_model_paths.yaml of other programs
    QString device;               ///< "cpu", "fake:8GiB"; empty: the module's choice
    QString memoryBudget;         ///< "6GiB"; empty: what is free
    QString lowMemory = "auto";   ///< "auto", "on", "off"
    QStringList recentFiles;      ///< newest first
    QByteArray windowLayout;      ///< opaque
    QByteArray windowGeometry;    ///< position and size, opaque
    QString outputFolder;         ///< for images; empty: the studio's own
    std::map<QString, QString> keys;     ///< of actions whose keys are not the default ones, by id
    Json nodeDefaults = Json::object();  ///< of new nodes: {type: {parameter: value}}
    bool showsFilmstrip = true;          ///< images of the gallery below the viewer
    bool opensNodeMemory = false;        ///< memory policies in the inspector, at every node
    bool showsPreviews = true;           ///< images while a run goes on
    DroppedImage droppedImage = DroppedImage::Ask;
    bool notifiesOfRuns = true;   ///< the desktop, when a long run ends and nobody looks
    int notifyAfterSeconds = 30;  ///< which runs are long
    bool keepsAwake = true;       ///< no sleep while runs are at work
    bool isFirstStartDone = false;

    bool operator==(const Preferences&) const = default;
};

/// The preferences in their file: JSON, written whole or not at all after every change, on another
/// thread. What a newer program put there is kept, and what another one of this version changed
/// meanwhile: only the values that were changed here are written. GUI thread only.
class Settings : public QObject {
    Q_OBJECT

public:
    /// Reads `path`. A damaged file is renamed to "....broken-N" and its content is forgotten; a
    /// single wrong value is; a file of a newer version is left as it is and never written.
    explicit Settings(const QString& path = defaultPath(), QObject* parent = nullptr);
    /// What was changed is on the disk.
    ~Settings() override;

    [[nodiscard]] const Preferences& preferences() const { return preferences_; }

    /// Makes the change and writes the file when something differs.
    void change(const std::function<void(Preferences&)>& edit);
    /// Waits until what was changed is on the disk, or notKept() on its way.
    void finish();
    /// Puts a file in front of the recent ones, of which the newest ten are kept.
    void addRecentFile(const QString& path);

    /// What went wrong when the file was read, for a user; empty: nothing.
    [[nodiscard]] const QString& problem() const { return problem_; }

    /// That notKept() spoke of; empty: what was changed is written.
    [[nodiscard]] const QString& writeProblem() const { return writeProblem_; }

    /// In the platform's folder for settings.
    [[nodiscard]] static QString defaultPath();

Q_SIGNALS:
    void changed();
    /// The file cannot be written; what was changed holds until the program ends.
    void notKept(const QString& reason);
    /// All that notKept() spoke of is written by now.
    void keptAgain();

private:
    void read();
    void setAside(const QString& reason);
    [[nodiscard]] Json asJson() const;
    void write();

    JsonStore store_;
    Preferences preferences_;
    Json stored_ = Json::object();  ///< as it was read, with keys that are not known here
    QString problem_;
    QString writeProblem_;
    bool isReadOnly_ = false;
};

/// Values with which a user's new nodes begin, where they are not those of the description. They
/// live in the settings; graphs that exist are never changed by them.
class NodeDefaults {
public:
    /// `settings` must outlive it.
    explicit NodeDefaults(Settings& settings) : settings_(settings) {}

    /// Null: the description's.
    [[nodiscard]] Json of(const std::string& type, const std::string& param) const;
    void set(const std::string& type, const std::string& param, const Json& value);
    void forget(const std::string& type, const std::string& param);
    /// Puts them into a new node; those that its description refuses are left out.
    void applyTo(graph::DocumentNode& node, const NodeDesc& desc) const;

private:
    Settings& settings_;
};

}  // namespace lowtide::ui
