#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "ui/bridge/background.hpp"

#include <QLockFile>
#include <QString>

#include <functional>
#include <mutex>
#include <optional>

namespace lowtide::ui {

/// Programs that change the file at `path` wait for each other while it lives. A folder without
/// locks has one writer.
class StoreLock {
public:
    /// Makes the folder. Errors are those of files::makeFolders.
    explicit StoreLock(const QString& path);

private:
    QLockFile lock_;
};

/// A JSON file that several studios change: each writes only what it changed itself, whole or not
/// at all, on a thread of its own. GUI thread only.
class JsonStore {
public:
    /// `what` names it in messages. `most`: bytes that are read. `indent`: spaces of a level.
    JsonStore(QString path, const char* what, Bytes most, int indent);

    [[nodiscard]] const QString& path() const { return path_; }

    /// Errors are those of files::InputFile and parseJson().
    [[nodiscard]] Json read() const;

    /// What it holds as far as this studio knows, before the first write().
    void setKnown(Json known) { known_ = std::move(known); }

    /// Whether what this and other studios made of it may be written; asked on the other thread.
    using Accepts = std::function<bool(const Json& whole)>;
    /// nullptr: it was not accepted.
    using Failed = std::function<void(const Error* error)>;

    /// Writes `mine` later, unless a newer one follows: of objects the members, of lists of texts
    /// the texts in which it differs from what is known. `accepts` may be empty.
    void write(Json mine, Accepts accepts, Failed failed, std::function<void()> done);

    /// The thread that writes, for files that belong to it.
    [[nodiscard]] Background& thread() { return background_; }

    /// Waits until all is written.
    void finish() { background_.finish(); }

private:
    struct Writing {
        Json mine;
        Accepts accepts;
        Failed failed;
        std::function<void()> done;
    };

    /// The newest writing, where the job is its own and nobody has taken it.
    [[nodiscard]] std::optional<Writing> taken(int number);
    [[nodiscard]] Background::Answer write(const Writing& writing);

    const QString path_;
    const char* const what_;
    const Bytes most_;
    const int indent_;
    Json known_ = Json::object();  ///< what was read or written here last; of the writing thread
    std::mutex asking_;
    int newest_ = 0;                  ///< of the writings that were asked for
    std::optional<Writing> waiting_;  ///< the newest: a slow disk holds no copy of each
    Background background_;
};

}  // namespace lowtide::ui
