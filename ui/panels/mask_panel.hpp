#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace lowtide::ui {

class MaskTool;

/// The tools beside a picture whose mask is painted: brush, what is done to the whole mask, and how
/// it is shown.
class MaskPanel : public QWidget {
    Q_OBJECT

public:
    explicit MaskPanel(QWidget* parent);

    /// Of which mask it is; nullptr: none yet.
    void setTool(MaskTool* tool);
    /// A line about the mask: where it is kept, or why not.
    void tell(const QString& text);

    /// Undo and redo mean the mask here, too: its buttons have the focus after a click.
    bool event(QEvent* event) override;

Q_SIGNALS:
    void useAsked();
    void closeAsked();

private:
    QWidget* makeBrush();
    QWidget* makeWhole();
    QWidget* makeLook();
    QWidget* makeEnd();
    QToolButton* button(const char* icon, const QString& text, const char* name);
    QPushButton* press(const QString& text, const QString& tip, const char* name);
    void show();
    void take();

    MaskTool* tool_ = nullptr;
    QToolButton* paint_ = nullptr;
    QToolButton* erase_ = nullptr;
    QToolButton* undo_ = nullptr;
    QToolButton* redo_ = nullptr;
    QSpinBox* size_ = nullptr;
    QSpinBox* hardness_ = nullptr;
    QSpinBox* opacity_ = nullptr;
    QSpinBox* pixels_ = nullptr;
    QComboBox* colour_ = nullptr;
    QSpinBox* strength_ = nullptr;
    QLabel* told_ = nullptr;
    QPushButton* use_ = nullptr;
    bool isShowing_ = false;
};

}  // namespace lowtide::ui
