#pragma once

#include <QToolButton>
#include <QWidget>

namespace lowtide::ui {

/// A part of a panel with a title that folds it away. Its content keeps its place in the
/// order of the keyboard.
class Fold : public QWidget {
    Q_OBJECT

public:
    Fold(const QString& title, QWidget* content, bool isOpen, QWidget* parent = nullptr);

    void setTitle(const QString& title);

    [[nodiscard]] const QString& title() const { return title_; }

    void setOpen(bool isOpen);
    [[nodiscard]] bool isOpen() const;
    /// A word behind the title that is read while it is folded: "block+stream".
    void setSummary(const QString& summary);

private:
    void refresh();

    QString title_;
    QString summary_;
    QToolButton* button_;
    QWidget* content_;
};

}  // namespace lowtide::ui
