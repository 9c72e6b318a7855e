#pragma once

#include "ui/document/saved_file.hpp"
#include "ui/studio/document_file.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QDialog>
#include <QListWidget>
#include <QObject>
#include <QPushButton>
#include <QString>

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

class QWidget;

namespace lowtide::ui {

/// Offers what other programs kept that may still run elsewhere, and reports what cannot be read.
/// Nothing is thrown away unless the user asks for it.
class RecoveryDialog : public QDialog {
    Q_OBJECT

public:
    RecoveryDialog(std::vector<Recovered> found,
                   const std::vector<QString>& problems,
                   QWidget* parent = nullptr);

    /// What is to be opened; empty: nothing now.
    [[nodiscard]] const std::optional<Recovered>& chosen() const { return chosen_; }

private:
    void fill();
    void discardSelected();

    std::vector<Recovered> found_;
    QListWidget* list_;
    QPushButton* open_;
    QPushButton* discard_;
    std::optional<Recovered> chosen_;
};

/// New, open, save and close with the questions that belong to them, and the list of recent files.
/// What is opened asks for nothing: it gets a tab of its own.
class FileCommands : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit FileCommands(MainWindowWidgets& widgets);

    /// Called once: whether it was done. Whatever was not is reported, or is what the user wants.
    using Then = std::function<void(bool isDone)>;

    void newGraph();
    void open();
    void openPath(const QString& path, Then then = {});
    /// A workflow or settings of another program, out of the clipboard.
    void openText(const QString& text);
    void openBackup();
    /// A graph that has no file of its own: a preset.
    void openDocument(OpenedGraph opened, Then then = {});
    /// The graph of a run, with its prompts as they were drawn. `files` hold it too, if one of them
    /// is still there.
    void openRun(const std::string& graph,
                 const QString& title,
                 const Json& options,
                 const QStringList& files,
                 Then then = {});

    void save(Then then = {}) { save(model_.shown(), std::move(then)); }

    void saveAs(Then then = {}) { saveAs(model_.shown(), then); }

    /// Asks first what is to become of changes. A new graph takes the place of the last one.
    void close(DocumentId id);
    /// Shows the document that is so many tabs further on, from the last to the first.
    void showNext(int step);
    /// Whether all documents may go. The next start opens them as they are, so the user is asked
    /// for those alone that cannot be kept. A file that is still being read is given up, a save
    /// that is at work is waited for.
    void leaveAll(const Then& then);
    /// Where a save goes on for long: asks whether to wait for it, and does `then` when not. What
    /// is not saved is offered at the next start.
    void offerToLeaveBehind(std::function<void()> then);

    /// Opens what was open at the last end, and offers what may still be open elsewhere.
    void restore();

private:
    void connectActions();
    void connectNotices(NoticeBar& notices);
    void fillRecent();
    void keepRecent(const QString& path);
    [[nodiscard]] QString startFolder() const;
    void leave(DocumentId id, const Then& then);
    void leaveEach(std::vector<DocumentId> documents, const Then& then);
    void offer(const DocumentFile::LeftOver& leftOver);
    void openAsCopy(const QString& path, const QString& reason, const Then& then);
    void save(DocumentId id, Then then);
    void saveAs(DocumentId id, const Then& then);
    void saveTo(DocumentId id, const QString& path, const Then& then);
    void saveOverOther(DocumentId id, const Then& then);
    void reportGroups();
    void reportUnopened(const QString& path, const FileOutcome& outcome);
    void reportSaved(const QString& path, const FileOutcome& outcome, const Then& then);
    [[nodiscard]] DocumentFile::Then whileHere(std::function<void(const FileOutcome& outcome)> act);

    MainWindowWidgets& widgets_;
    DocumentFile& file_;
    GraphModel& model_;
    AppFolders appFolders_;
    QWidget* window_;
    std::set<DocumentId> looked_;  ///< documents that were shown, whose groups were looked at
};

/// The graph of a first start.
[[nodiscard]] graph::Document defaultGraph();
/// The same as a user begins with it: it reads LoRAs of its prompts where the module can.
[[nodiscard]] graph::Document startGraph(const graph::Catalog& catalog);

}  // namespace lowtide::ui
