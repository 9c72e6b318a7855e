#pragma once

#include "ui/studio/document_file.hpp"

#include <QTabBar>

namespace lowtide::ui {

/// The open graphs as tabs, each with a mark while it has changes that are not saved. They can be
/// moved; a click on the cross or with the middle button asks for one to be closed.
class DocumentTabs : public QTabBar {
    Q_OBJECT

public:
    /// Both must outlive it.
    DocumentTabs(DocumentFile& file, GraphModel& model, QWidget* parent = nullptr);

Q_SIGNALS:
    void closeAsked(lowtide::ui::DocumentId id);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void fill();
    void showName(int tab, DocumentId id);
    void askToClose(int tab);

    DocumentFile& file_;
    GraphModel& model_;
    std::vector<DocumentId> shown_;  ///< by tab
};

}  // namespace lowtide::ui
