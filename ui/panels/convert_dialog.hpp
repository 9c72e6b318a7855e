#pragma once

#include "ui/bridge/conversion.hpp"

#include <QDialog>
#include <QString>
#include <QWidget>

#include <string>
#include <vector>

class QBoxLayout;
class QButtonGroup;
class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lowtide::ui {

class PathLine;

/// A path next to the source that is free: "dream_f8.safetensors" of "dream.safetensors", of a
/// folder "dream_unet_f8.safetensors".
[[nodiscard]] QString convertedPath(const QString& source, const StorageChoice& choice);
/// The path with the ending of the choice in place of that of another one.
[[nodiscard]] QString withEndingOf(const StorageChoice& choice, const QString& path);

/// Storages to choose one from, each with the size of its file. What would save nothing is grey.
class StorageChoices : public QWidget {
    Q_OBJECT

public:
    explicit StorageChoices(QWidget* parent = nullptr);

    /// Called once. The first that saves something is chosen.
    void setChoices(const std::vector<StorageChoice>& choices);
    /// nullptr: none is.
    [[nodiscard]] const StorageChoice* chosen() const;

Q_SIGNALS:
    void changed();

private:
    void addRow(int row);

    std::vector<StorageChoice> choices_;
    QGridLayout* grid_;
    QButtonGroup* buttons_;
};

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
    void showMessage(const char* colour, const QString& text);
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
