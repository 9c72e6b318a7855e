#pragma once

#include "ui/document/saved_file.hpp"
#include "ui/studio/document_file.hpp"

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

/// New, open, save and close with the questions that belong to them.
class FileCommands : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; `window` is the parent of dialogs.
    FileCommands(DocumentFile& file,
                 GraphModel& model,
                 const AppFolders& appFolders,
                 QWidget* window);

    /// Where dialogs begin while the graph has no file; empty: in the user's documents.
    void setStartFolder(const QString& folder) { startFolder_ = folder; }

    /// Called once: whether it was done. Whatever was not is reported, or is what the user wants.
    using Then = std::function<void(bool isDone)>;

    /// Each asks first what is to become of changes. A file that is still being read gives way.
    void newGraph();
    void open();
    void openPath(const QString& path, Then then = {});
    void openBackup();
    /// A graph that has no file of its own: a preset, a run of the queue.
    void openDocument(OpenedGraph opened, Then then = {});

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

Q_SIGNALS:
    /// The file was opened or saved: its whole path.
    void used(const QString& path);

private:
    [[nodiscard]] QString startFolder() const;
    void openHere(const QString& path, const Then& then);
    void openAsCopy(const QString& path, const QString& reason, const Then& then);
    void recoverHere(const Recovered& recovered);
    void saveTo(const QString& path, const Then& then);
    void saveOverOther(const Then& then);
    void reportUnopened(const QString& path, const FileOutcome& outcome);
    void reportSaved(const QString& path, const FileOutcome& outcome, const Then& then);
    [[nodiscard]] DocumentFile::Then whileHere(std::function<void(const FileOutcome& outcome)> act);

    DocumentFile& file_;
    GraphModel& model_;
    AppFolders appFolders_;
    QString startFolder_;
    QWidget* window_;
};

/// The graph of a first start.
[[nodiscard]] graph::Document defaultGraph();

}  // namespace lowtide::ui
