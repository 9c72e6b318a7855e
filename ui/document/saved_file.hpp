#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "ui/programs/os.hpp"

#include <QFile>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A path as the system has it, for files::InputFile and files::OutputFile.
[[nodiscard]] inline std::string encoded(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

/// Nothing where there is no such file, or none that can be read.
[[nodiscard]] std::optional<files::FileIdentity> identityOf(const QString& path);

/// Writes the graph whole or not at all; what stood there becomes a backup (the newest ten, in a
/// folder of `backupFolder` by the file's name). Errors as files::OutputFile.
void saveGraph(const QString& path, const graph::Document& document, const QString& backupFolder);
/// Reads a graph, or the graph within an image. Errors: Error{NotFound}, Error{Corrupt},
/// Error{Unsupported} of a newer format; they name only the file's name.
[[nodiscard]] graph::Document loadGraph(const QString& path);
/// The same error, which names the file.
[[nodiscard]] Error namingFile(const Error& error, const files::InputFile& file);

struct Backup {
    QString path;
    QString savedAt;  ///< ISO 8601, UTC
};

/// Newest first.
[[nodiscard]] std::vector<Backup> backupsOf(const QString& path, const QString& backupFolder);

/// How a document stands in its window.
struct DocumentTab {
    QString name{};         ///< as a user sees it; empty: none is known
    bool isUnsaved = true;  ///< it has changes that its file, if there is one, lacks
    int position = 0;       ///< tabs are in this order
    qint64 lastShown = 0;   ///< milliseconds since 1970
    Json report{};          ///< of the import that made it; null: none did
};

/// Keeps an open document, so that a killed program loses at most the last second and the next
/// start opens what was open: one file for each document, until it is closed.
class Journal {
public:
    /// `path` is the document's own file; empty: never saved.
    Journal(const QString& folder, const QString& path);
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Writes the document whole; called by the owner at most once a second. False when it could
    /// not: `reason` states why, once until it works again.
    bool write(const graph::Document& document, QString* reason);
    /// `graphFolder`: from which the document's relative files are seen.
    void setPath(const QString& path, const QString& graphFolder);

    void setTab(const DocumentTab& tab) { tab_ = tab; }

    /// The first write replaces the journal of another program.
    void replace(const QString& journal) { replaced_ = journal; }

    /// The document is closed: the next start opens it no more.
    void clear();
    /// The program ends in order: whoever starts next may have it, also where nobody can know
    /// whether this program still runs.
    void leave();

    /// Whether the last write failed.
    [[nodiscard]] bool hasFailed() const { return hasFailed_; }

private:
    const QString folder_;
    const QString file_;
    QString replaced_;
    QString path_;
    QString graphFolder_;
    DocumentTab tab_;
    bool hasFailed_ = false;
};

/// A document that was open in a program that has ended, or of which nobody knows here whether it
/// has.
struct Recovered {
    QString journal;  ///< the file; discard() removes it
    QString path;     ///< of the document; empty: never saved
    QString graphFolder;
    QString writtenAt;
    graph::Document document;
    DocumentTab tab{};
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
