#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/preset.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/planning.hpp"

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A file that a preset needs.
struct RequiredFile {
    QString kind;  ///< the parameter that names it: "checkpoint"
    QString value;
    bool isThere = false;
};

/// A value that a preset shows, and whose it is.
struct ShownParam {
    std::string node;
    std::string nodeType;
    std::string param;
};

/// A preset as it is shown. One that cannot be read is shown too, with the reason.
struct PresetEntry {
    QString id;  ///< unique among all
    QString title;
    QString description;
    QStringList english;  ///< title and description as the file has them
    QStringList tags;
    QImage thumbnail;  ///< null: none
    std::vector<RequiredFile> files;
    std::vector<ShownParam> shown;  ///< in the order of its form
    std::string family;             ///< of its model files; empty: any
    Bytes cardMemory = 0;           ///< the least of a GPU on which it fits; 0: any or unknown
    QString problem;                ///< empty: it can be opened
    bool isBuiltin = false;
    QString path;

    /// Whether every file is there.
    [[nodiscard]] bool isComplete() const;
};

/// Reports whether a file that a preset in `folder` names would be found; asked on any thread.
using IsThere = std::function<bool(const std::string& value, const QString& folder)>;

/// What a user states when a graph becomes a preset.
struct PresetText {
    QString title;
    QString description;
    QStringList tags;
};

/// What became of a file that was imported.
struct ImportedPreset {
    QString id;
    bool isNew = true;  ///< false: it was there already
};

/// The built-in presets and the user's own. Files are written whole or not at all; what is
/// removed goes to a trash folder and can be brought back. GUI thread only.
class PresetStore : public QObject {
    Q_OBJECT

public:
    /// `catalog` must outlive it; `isThere` may be empty: every file counts as there.
    PresetStore(const graph::Catalog& catalog,
                const QString& builtinFolder,
                const QString& userFolder = defaultFolder(),
                QObject* parent = nullptr);

    /// Looks for all files again, on another thread.
    void setIsThere(IsThere isThere);
    void reload();

    /// Built-in ones first, by id; then the user's own, by title.
    [[nodiscard]] const std::vector<PresetEntry>& entries() const { return entries_; }

    /// Whether the files that they need are still looked for; then changed().
    [[nodiscard]] bool isLooking() const { return isLooking_; }

    /// Also one of an earlier version, which entries() no longer have. nullptr: there is none.
    [[nodiscard]] const PresetEntry* find(const QString& id) const;

    /// The graph, with the files that lie next to the preset named by their full path. Errors as
    /// graph::readPreset.
    [[nodiscard]] graph::Document open(const QString& id) const;
    /// Saves a graph that lies in `graphFolder` as a new preset of the user, without the planned
    /// card that is rehearsed at the moment; returns its id. Errors as files::OutputFile, and
    /// Error{InvalidInput} without a title.
    QString save(const PresetText& text,
                 graph::Document document,
                 const QString& graphFolder,
                 const QImage& thumbnail);
    /// Error{InvalidInput} for a built-in one and for an empty title.
    void rename(const QString& id, const QString& title);
    /// Moves it to the trash folder. Error{InvalidInput} for a built-in one.
    void remove(const QString& id);
    /// Brings back what was removed last; empty: nothing is there to bring back.
    QString restore();

    [[nodiscard]] bool canRestore() const { return !removed_.isEmpty(); }

    /// Takes a preset, or a graph that becomes one with its file's name as title. One that is there
    /// with the same content is not taken twice; other content gets a title of its own: "Fox (2)".
    ImportedPreset importFile(const QString& path);
    /// Writes a copy for somebody else.
    void exportFile(const QString& id, const QString& path) const;

    /// In the platform's folder for data.
    [[nodiscard]] static QString defaultFolder();

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] const PresetEntry& known(const QString& id) const;
    [[nodiscard]] const PresetEntry& own(const QString& id) const;
    QString write(const QString& name, const graph::Preset& preset);
    [[nodiscard]] const PresetEntry* earlier(const QString& id) const;
    [[nodiscard]] const PresetEntry* twinOf(const graph::Preset& preset,
                                            const graph::Document& asSent) const;
    [[nodiscard]] std::string freeTitle(const std::string& title) const;
    void lookForFiles();

    const graph::Catalog& catalog_;
    QString builtinFolder_;
    QString userFolder_;
    IsThere isThere_;
    std::vector<PresetEntry> entries_;
    mutable std::map<QString, PresetEntry> earlier_;  ///< by id, those that were asked for
    std::map<QString, files::FileIdentity> read_;     ///< by path, when its entry was made
    bool isLooking_ = false;
    int look_ = 0;         ///< of the last one for files
    QStringList removed_;  ///< ids, the last removed at the end
    Background background_;
};

/// What presets would need on this device, planned on a thread of its own. Who asks for another
/// one gets the answer of the last only. `runner` and `store` must outlive it. GUI thread only.
class PresetNeeds : public QObject {
    Q_OBJECT

public:
    PresetNeeds(Runner& runner, const PresetStore& store, QObject* parent = nullptr);

    /// Options of docs/events.md: device, as, memoryBudget. Others than before: the preset that was
    /// asked for last is asked for again.
    void setOptions(const Json& options);

    void ask(const QString& id);

Q_SIGNALS:
    void answered(const QString& id, const lowtide::ui::Planned& needs);

private:
    Runner& runner_;
    const PresetStore& store_;
    Json options_ = Json::object();
    QString last_;  ///< asked for
    int lastNumber_ = 0;
    Background background_;
};

}  // namespace lowtide::ui
