#pragma once

#include "plugin/graph/document.hpp"
#include "ui/document/os.hpp"

#include <QFile>
#include <QString>

#include <string>
#include <vector>

namespace lowtide::ui {

/// A path as the system has it, for files::InputFile and files::OutputFile.
[[nodiscard]] inline std::string encoded(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

/// Writes the graph whole or not at all; what stood there becomes a backup (the newest ten, in a
/// folder of `backupFolder` by the file's name). Errors as files::OutputFile.
void saveGraph(const QString& path, const graph::Document& document, const QString& backupFolder);
/// Reads a graph, or the graph within an image. Errors: Error{NotFound}, Error{Corrupt},
/// Error{Unsupported} of a newer format; they name only the file's name.
[[nodiscard]] graph::Document loadGraph(const QString& path);

struct Backup {
    QString path;
    QString savedAt;  ///< ISO 8601, UTC
};

/// Newest first.
[[nodiscard]] std::vector<Backup> backupsOf(const QString& path, const QString& backupFolder);

/// Keeps what is not yet saved, so that a killed program loses at most the last second: one file
/// for each open document, removed when it is closed in order.
class Journal {
public:
    /// `path` is the document's own file; empty: never saved.
    Journal(const QString& folder, const QString& path);
    /// As clear(), but when an exception ends the program.
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Writes the document whole; called by the owner at most once a second. False when it could
    /// not: `reason` states why, once until it works again.
    bool write(const graph::Document& document, QString* reason);
    /// `graphFolder`: from which the document's relative files are seen.
    void setPath(const QString& path, const QString& graphFolder);
    /// The document is saved or thrown away: nothing to recover.
    void clear();

    /// What it holds is kept for the next start, whatever ends it.
    void leave() { isLeft_ = true; }

private:
    const QString folder_;
    const QString file_;
    QString path_;
    QString graphFolder_;
    const int exceptions_;
    bool hasFailed_ = false;
    bool isLeft_ = false;
};

/// What a program left behind that did not end in order, or of which nobody knows here whether it
/// has ended.
struct Recovered {
    QString journal;  ///< the file; discard() removes it
    QString path;     ///< of the document; empty: never saved
    QString graphFolder;
    QString writtenAt;
    graph::Document document;
    QString perhapsOpenOn{};  ///< machine on which it may still be open; empty: its program ended
};

/// Journals of programs that do not run here. One that cannot be read is renamed and kept, and
/// named in `problems`.
[[nodiscard]] std::vector<Recovered> findRecovered(const QString& folder,
                                                   std::vector<QString>* problems);
void discard(const Recovered& recovered);
/// Renames a damaged file to "….broken", "….broken-2"; its new name, empty where it cannot be
/// renamed. Nothing is replaced.
[[nodiscard]] QString setBrokenAside(const QString& path);

/// Marks the file as edited by this program. Another one that does is named by tryLock().
class DocumentLock {
public:
    explicit DocumentLock(const QString& path);

    /// Empty: this program has it. Otherwise a sentence that names who else has it.
    [[nodiscard]] QString tryLock();

private:
    const QString path_;
    const QString lockPath_;
    os::FileLock lock_;
};

}  // namespace lowtide::ui
