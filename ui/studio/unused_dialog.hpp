#pragma once

#include <QDialog>
#include <QFileInfo>

namespace lowtide::ui {

/// Asks whether files that nothing uses may go to the wastebasket.
class UnusedDialog : public QDialog {
    Q_OBJECT

public:
    /// All of the folder of the graph called `graph`.
    UnusedDialog(const QFileInfoList& files, const QString& graph, QWidget* parent);
};

}  // namespace lowtide::ui
