#pragma once

#include "ui/bridge/run_library.hpp"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QToolButton;

namespace lowtide::ui {

class FlowRow;

/// The row above the gallery: which images it shows.
class GalleryFilter : public QWidget {
    Q_OBJECT

public:
    explicit GalleryFilter(QWidget* parent = nullptr);

    /// What can be chosen; what is chosen is kept.
    void setChoices(const QStringList& models, const QStringList& graphs);
    [[nodiscard]] ImageFilter filter() const;
    /// Whether it leaves anything out.
    [[nodiscard]] bool isOpen() const;
    void clear();
    void focusWords();
    /// At the end of the row, together.
    void addAtEnd(const QList<QWidget*>& widgets);

Q_SIGNALS:
    /// A moment after the user has typed, at once after a choice.
    void changed();
    /// Down in the words: the images are wanted.
    void left();

private:
    QLineEdit* words_;
    QComboBox* model_;
    QComboBox* graph_;
    QComboBox* when_;
    QToolButton* starred_;
    FlowRow* row_;
    QTimer typed_;
};

}  // namespace lowtide::ui
