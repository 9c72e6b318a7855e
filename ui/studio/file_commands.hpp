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
#include <vector>

class QWidget;

namespace lowtide::ui {

/// Offers what a program that did not end in order left behind. Nothing is thrown away unless the
/// user asks for it.
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
class FileCommands : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit FileCommands(MainWindowWidgets& widgets);

    /// Called once: whether it was done. Whatever was not is reported, or is what the user wants.
    using Then = std::function<void(bool isDone)>;

    /// Each asks first what is to become of changes. A file that is still being read gives way.
    void newGraph();
    void open();
    void openPath(const QString& path, Then then = {});
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

    void save(Then then = {});
    void saveAs(Then then = {});
    /// Whether the document may go: saved, thrown away by the user, or nothing to save. A save
    /// that is at work is waited for.
    void leave(Then then);
    /// Where a save goes on for long: asks whether to wait for it, and does `then` when not. What
    /// is not saved is offered at the next start.
    void offerToLeaveBehind(std::function<void()> then);

    /// Offers what killed programs left; true when one was chosen.
    bool recover();

private:
    void connectActions();
    void connectNotices(NoticeBar& notices);
    void fillRecent();
    void keepRecent(const QString& path);
    [[nodiscard]] QString startFolder() const;
    void openHere(const QString& path, const Then& then);
    void openAsCopy(const QString& path, const QString& reason, const Then& then);
    void recoverHere(const Recovered& recovered);
    void saveTo(const QString& path, const Then& then);
    void saveOverOther(const Then& then);
    void reportUnopened(const QString& path, const FileOutcome& outcome);
    void reportSaved(const QString& path, const FileOutcome& outcome, const Then& then);
    [[nodiscard]] DocumentFile::Then whileHere(std::function<void(const FileOutcome& outcome)> act);

    MainWindowWidgets& widgets_;
    DocumentFile& file_;
    GraphModel& model_;
    AppFolders appFolders_;
    QWidget* window_;
};

/// The graph of a first start.
[[nodiscard]] graph::Document defaultGraph();
/// The same as a user begins with it: it reads LoRAs of its prompts where the module can.
[[nodiscard]] graph::Document startGraph(const graph::Catalog& catalog);

}  // namespace lowtide::ui
