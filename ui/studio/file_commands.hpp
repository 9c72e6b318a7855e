#pragma once

#include "ui/studio/document_file.hpp"

#include <QObject>
#include <QString>

class QWidget;

namespace lowtide::ui {

/// New, open, save and close with the questions that belong to them.
class FileCommands : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; `window` is the parent of dialogs.
    FileCommands(DocumentFile& file, GraphModel& model, const Places& places, QWidget* window);

    /// Where dialogs begin while the graph has no file; empty: in the person's documents.
    void setStartFolder(const QString& folder) { startFolder_ = folder; }

    /// Each asks first what is to become of changes; false: the person wants to stay.
    bool newGraph();
    bool open();
    bool openPath(const QString& path);
    bool openBackup();
    /// A graph that has no file of its own: a preset, a run of the queue.
    bool openDocument(OpenedGraph opened);

    /// False: it is not saved.
    bool save();
    bool saveAs();
    /// Saved, thrown away by the person, or nothing to save.
    [[nodiscard]] bool mayLeave();

    /// Offers what killed programs left; true when one was opened.
    bool recover();

Q_SIGNALS:
    /// The file was opened or saved: its whole path.
    void used(const QString& path);

private:
    [[nodiscard]] QString startFolder() const;
    bool openHere(const QString& path);
    bool openAsCopy(const QString& path, const QString& reason);
    bool saveTo(const QString& path);
    bool saveOverOther();

    DocumentFile& file_;
    GraphModel& model_;
    Places places_;
    QString startFolder_;
    QWidget* window_;
};

/// The graph of a first start.
[[nodiscard]] graph::Document defaultGraph();

}  // namespace lowtide::ui
