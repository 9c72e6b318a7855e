#pragma once

#include "plugin/files/input_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/studio/places.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace lowtide::ui {

/// Where the document of a window lives: its file, the lock on it, and the journal of what is not
/// saved. Asks nothing and shows nothing.
class DocumentFile : public QObject {
    Q_OBJECT

public:
    /// `model` must outlive it.
    DocumentFile(GraphModel& model, const Places& places, QObject* parent = nullptr);
    /// Ends in order: nothing to recover.
    ~DocumentFile() override;

    /// Empty: never saved.
    [[nodiscard]] const QString& path() const { return path_; }

    /// The file's name without its ending, or what a new document is called.
    [[nodiscard]] const QString& name() const { return name_; }

    /// From which the document's relative files are seen; it stays when the document is saved in
    /// another folder. Empty: the program's own.
    [[nodiscard]] const QString& folder() const { return folder_; }

    /// A document without a file of its own. Where it is not kept, closing asks and the journal
    /// begins.
    void setNew(OpenedGraph opened);
    /// Empty: it is open. Otherwise who else edits it, and nothing has changed here. Throws as
    /// loadGraph.
    [[nodiscard]] QString open(const QString& path);
    /// The graph of the file as a document that no file holds.
    void openCopy(const QString& path);
    /// What a killed program left; it counts as modified.
    void recover(const Recovered& recovered);
    /// Whether another program has written the file since it was opened or saved here.
    [[nodiscard]] bool isChangedOnDisk() const;
    /// Throws as saveGraph. `path()` must not be empty.
    void save();
    /// Empty: saved, and the document lives there now. Otherwise who else edits that file.
    [[nodiscard]] QString saveAs(const QString& path);
    /// A preset holds what the document says. Where no file does, nothing is unsaved any more, and
    /// the document has the preset's name.
    void keptAsPreset(const QString& title);

    /// Why the journal cannot be written; empty: it can.
    [[nodiscard]] const QString& journalProblem() const { return journalProblem_; }

Q_SIGNALS:
    /// Path or name are others.
    void moved();
    /// The journal cannot be written: why, once until it works again.
    void journalFailed(const QString& reason);
    /// It can be written again.
    void journalWorks();

private:
    void settle(OpenedGraph opened, const QString& path);
    void write(const QString& path);
    void clearJournal();
    void writeJournal(std::function<void()> then);

    GraphModel& model_;
    Places places_;
    QString path_;
    QString name_;
    QString folder_;
    std::optional<files::FileIdentity> onDisk_;  ///< of the file, when it was opened or saved here
    Journal journal_;                            ///< of the other thread, but for its end
    std::unique_ptr<DocumentLock> lock_;
    QString journalProblem_;
    QTimer rest_;
    Background background_;  ///< ends before the journal
};

}  // namespace lowtide::ui
