#pragma once

#include "ui/bridge/conversion.hpp"

#include <QDialog>

#include <string>

class QBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lowtide::ui {

class PathLine;
class StorageChoices;

/// Writes a checkpoint again, smaller: the storage, the file, how far it is, what came of it. Made
/// for show(): the graph can be worked on meanwhile. While it converts, closing it cancels.
class ConvertDialog : public QDialog {
    Q_OBJECT

public:
    /// `checkpoint`: as a graph in `graphFolder` names it. `conversion` must outlive it and must
    /// not be busy.
    ConvertDialog(Conversion& conversion,
                  const std::string& checkpoint,
                  const QString& graphFolder,
                  QWidget* parent = nullptr);

    [[nodiscard]] bool isConverting() const { return isConverting_; }

    void reject() override;

Q_SIGNALS:
    /// The file that was written is to be used in the graph.
    void useAsked(const QString& file);

private:
    [[nodiscard]] QBoxLayout* makeFileRow();
    [[nodiscard]] QBoxLayout* makeButtons();
    void take(const Convertible& what);
    void propose();
    void begin();
    void showProgress(qint64 done, qint64 total);
    void end(const Converted& what);
    void browse();
    /// The file as it will be written; empty: none is named.
    [[nodiscard]] QString out() const;
    void tell(const char* colour, const QString& text);
    void showState();

    Conversion& conversion_;
    std::string checkpoint_;
    QString graphFolder_;
    QString source_;    ///< where the checkpoint lies
    QString proposed_;  ///< what stands in the line as long as nobody typed
    QString written_;
    bool isConverting_ = false;
    StorageChoices* storages_;
    PathLine* path_;
    QPushButton* browse_;
    QLabel* replaced_;
    QProgressBar* bar_;
    QLabel* message_;
    QPushButton* use_;
    QPushButton* convert_;
    QPushButton* close_;
};

}  // namespace lowtide::ui
