#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lowtide::ui {

class FrameTool;

/// What is set beside a picture that is cropped or extended.
class FramePanel : public QWidget {
    Q_OBJECT

public:
    explicit FramePanel(QWidget* parent);

    /// nullptr: none.
    void setTool(FrameTool* tool);
    /// Pixels of the old picture over which a mask of what is new falls off.
    [[nodiscard]] int overlap() const;
    /// What is being done, or what went wrong.
    void tell(const QString& text);

Q_SIGNALS:
    void writeAsked();
    void closeAsked();

private:
    void show();

    FrameTool* tool_ = nullptr;
    QComboBox* ratio_;
    QComboBox* multiple_;
    QSpinBox* overlap_;
    QLabel* size_;
    QLabel* told_;
    QPushButton* write_;
};

}  // namespace lowtide::ui
