#pragma once

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/studio/app_folders.hpp"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// What became of a file that was to be read or written; unless it is Done, nothing has changed.
struct FileOutcome {
    enum class Kind {
        Done,
        InUse,          ///< another program edits it, or another window
        ChangedOnDisk,  ///< another program has written it since it was opened or saved here
        NoGraph,        ///< what would be replaced is no graph
        GivenUp,        ///< nobody waits for it any more
        Failed
    };

    Kind kind = Kind::Done;
    QString other{};               ///< InUse: a sentence that names who edits it
    std::optional<Error> error{};  ///< Failed: why
};

/// Where the open documents of a window live, in the order of their tabs: their files, the locks on
/// them, and the journals that keep them for the next start. Files are read and written on another
/// thread, one after the other in the order in which that was asked for. Where no document is
/// named, the shown one is meant. Asks nothing and shows nothing.
class DocumentFile : public QObject {
    Q_OBJECT

public:
    /// `model` must outlive it; what it shows is a new graph that nobody has edited.
    DocumentFile(GraphModel& model, const AppFolders& appFolders, QObject* parent = nullptr);
    /// The next start opens what is open. Waits for an import that was given up.
    ~DocumentFile() override;

    /// Empty: never saved.
    [[nodiscard]] const QString& path() const { return path(model_.shown()); }

    [[nodiscard]] const QString& path(DocumentId id) const { return fileOf(id).path; }

    /// The file's name without its ending, or what a new document is called.
    [[nodiscard]] const QString& name() const { return name(model_.shown()); }

    [[nodiscard]] const QString& name(DocumentId id) const { return fileOf(id).name; }

    /// From which the document's relative files are seen; it is kept when the document is saved in
    /// another folder. Empty: the program's own.
    [[nodiscard]] const QString& folder() const { return fileOf(model_.shown()).folder; }

    /// In the order of their tabs; never empty.
    [[nodiscard]] std::vector<DocumentId> documents() const;
    void show(DocumentId id);
    /// Gives the document the number `index` in the order.
    void move(DocumentId id, int index);
    /// What is not saved goes with it. Not the only one, and not while it is saved.
    void close(DocumentId id);

    /// Called once, on the GUI thread.
    using Then = std::function<void(const FileOutcome&)>;

    // What is opened is shown: in the place of a new graph that nobody has edited, else behind all
    // others.
    /// A document without a file of its own. Where it is not kept, closing asks.
    void setNew(OpenedGraph opened);
    /// Shows it where the file is open already.
    void open(const QString& path, Then then);

    /// What another program wrote is imported by it from now on, as documents that no file holds.
    void setImporter(const Importer& importer);

    /// A text of another program, which is called so.
    void openText(const std::string& text, const QString& name, Then then);

    /// Of the import that the shown document is; null: it is none.
    [[nodiscard]] const Json& report() const { return fileOf(model_.shown()).report; }

    /// The graph of the file as a document that no file holds.
    void openCopy(const QString& path, Then then);
    /// What another program had open.
    void recover(const Recovered& recovered, Then then);

    /// What is not opened without a question.
    struct LeftOver {
        std::vector<Recovered> elsewhere{};  ///< perhaps still open there
        std::vector<QString> problems{};     ///< what cannot be read
    };

    /// Opens all that was open in programs that have ended, however they did. Nothing where another
    /// program is about to do that.
    void restore(std::function<void(const LeftOver&)> then);
    /// To its file, which it must have; not over what another program has written.
    void save(DocumentId id, Then then);

    void save(Then then) { save(model_.shown(), std::move(then)); }

    /// Over any graph; the document lives there then. Changes that are made meanwhile remain
    /// unsaved. A save to another file that its disk does not finish is given up.
    void saveAs(DocumentId id, const QString& path, Then then);

    void saveAs(const QString& path, Then then) { saveAs(model_.shown(), path, std::move(then)); }

    [[nodiscard]] bool isBusy() const { return !doing_.isEmpty(); }

    /// What a document of the file is called that is read or written.
    [[nodiscard]] QString busyName() const { return documentNameOf(doing_); }

    /// Does `work` when no file is read or written: at once or later, unless `context` is gone.
    void whenFree(QObject* context, std::function<void()> work);

    /// Does `see` on the other thread, as if `path` were opened, then `done` here with what it
    /// returned, unless that is given up or `context` is gone.
    template <class See, class Done>
    void look(QObject* context, const QString& path, See see, Done done) {
        const auto seen = std::make_shared<std::optional<std::invoke_result_t<See>>>();
        lookAt(
            path,
            [seen, see = std::move(see)] { seen->emplace(see()); },
            [seen, context = QPointer(context), done = std::move(done)]() mutable {
                if (context) {
                    done(std::move(**seen));
                }
            });
    }

    /// Gives up the file that is being read: its disk may never answer.
    void stopReading();
    /// Gives up whatever is read or written; what is not saved is kept for the next start.
    void leaveBehind();
    /// Writes every journal that is due, and waits for that. Which documents would be lost all the
    /// same, since they are not saved and their journals cannot be written.
    [[nodiscard]] std::vector<DocumentId> keepAll();

    /// A preset holds what the document states. Where no file does, nothing is unsaved any more,
    /// and the document has the preset's name.
    void keptAsPreset(const QString& title);

    /// Why a journal cannot be written; empty: all can.
    [[nodiscard]] QString journalProblem() const;

Q_SIGNALS:
    /// Path or name of the shown document are others, or another one is shown.
    void moved();
    /// documents() or the path or name of one of them are others.
    void listChanged();
    /// The shown document was imported: report().
    void imported();
    /// A disk or an import takes its time: a sentence, empty when that is over.
    void waits(const QString& sentence, bool canStop);
    /// The journal cannot be written: why, once until it works again.
    void journalFailed(const QString& reason);
    /// It can be written again.
    void journalWorks();

private:
    /// What a job on the disk has found, and what follows from it here.
    struct Found {
        FileOutcome outcome{};
        std::function<void()> settle{};
    };

    enum class Work { Reading, Writing };

    struct OpenFile {
        DocumentId id = 0;
        QString path{};
        QString name{};
        QString folder{};
        bool isBlank = false;
        std::optional<files::FileIdentity> onDisk{};  ///< when it was opened or saved here
        std::shared_ptr<DocumentLock> lock{};
        std::shared_ptr<Journal> journal{};  ///< of the other thread, but for its end
        QString journalProblem{};
        Json report{};  ///< of an import
        bool isJournalDue = false;
        int steps = 0;         ///< of the document: edits, undone or not
        int position = 0;      ///< grows from tab to tab
        qint64 lastShown = 0;  ///< milliseconds since 1970
    };

    struct Draft;
    struct Importing;

    static Draft readDraft(const Recovered& recovered);

    OpenFile& keep(DocumentId id);
    [[nodiscard]] OpenFile& fileOf(DocumentId id) const;
    [[nodiscard]] size_t indexOf(DocumentId id) const;
    [[nodiscard]] bool isUntouched(DocumentId id) const;
    void ask(Work work, const QString& path, std::function<Found()> job, Then then);
    void lookAt(const QString& path, std::function<void()> see, std::function<void()> done);
    void answer(const FileOutcome& outcome);
    [[nodiscard]] bool isStuck() const;
    void giveUp();
    void release(std::shared_ptr<DocumentLock> lock);
    OpenFile& insert(OpenedGraph opened, const QString& path);
    OpenFile* insert(const Draft& draft);
    OpenFile& settle(OpenedGraph opened, const QString& path = {});
    void settleAll(const std::vector<Draft>& drafts);
    void settleUnsaved(OpenedGraph opened);
    void number();
    void drop(DocumentId id);
    void write(DocumentId id, const QString& path, std::function<FileOutcome()> check, Then then);
    void settleWritten(OpenFile& file, const QString& path, bool isMoved, int step);
    void writeJournalSoon(OpenFile& file);
    void writeJournal(OpenFile& file);
    void takeJournalProblem(OpenFile& file, const QString& problem);

    GraphModel& model_;
    AppFolders appFolders_;
    Importer importer_;
    std::shared_ptr<Importing> importing_;
    std::vector<std::unique_ptr<OpenFile>> open_;
    QTimer rest_;
    Background background_;  ///< ends before the journals

    struct Waiting {
        QPointer<QObject> context;
        std::function<void()> work;
    };

    QString doing_;      ///< the path that is read or written; empty: none
    Work work_ = {};     ///< what is done with it
    quint64 asked_ = 0;  ///< the number of that job
    Then then_;
    std::deque<Waiting> waiting_;
    bool isWaitReported_ = false;
    QTimer patience_;
    std::unique_ptr<Background> disk_;  ///< of the files: a dead disk must not keep up the journals
};

}  // namespace lowtide::ui
