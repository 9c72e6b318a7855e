#pragma once

#include "plugin/base/json.hpp"
#include "ui/access/spoken.hpp"
#include "ui/editors/param_editor.hpp"

#include <QElapsedTimer>
#include <QPoint>

#include <optional>

class QLineEdit;

namespace lowtide::ui {

/// A painted number: dragging sideways scrubs it (Ctrl coarse, Shift fine), a click or a digit
/// types, a double click or Delete brings the default back, the wheel and the arrows step while it
/// has the focus. The soft range bounds scrubbing, the hard range refuses with the reason.
class NumberField : public ParamEditor, public SpokenNumber {
    Q_OBJECT

public:
    NumberField(const ParamDesc& param, QWidget* parent);

    void begin() override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::SpinBox; }

    [[nodiscard]] QString spokenText() const override;
    [[nodiscard]] QStringList spokenActions() const override;
    void act(const QString& action) override;
    [[nodiscard]] QVariant spokenNumber() const override;
    /// A number that does not fit is refused, with the reason.
    void takeNumber(const QVariant& number) override;
    [[nodiscard]] Range spokenRange() const override;

protected:
    void showValue() override;

    void valueReported() override { valueSpoken(*this); }

    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void startTyping(const QString& text);
    void stopTyping();
    /// Reads what was typed; false: it is refused and kept.
    bool takeTyping();
    bool endTyping();
    bool typingKey(QKeyEvent& event);
    void reset();
    void scrub(int pixels, Qt::KeyboardModifiers modifiers);
    void step(double steps, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] QString unit() const;

    QLineEdit* typing_;
    QElapsedTimer sinceTyping_;
    std::optional<QPoint> pressedAt_;
    int lastX_ = 0;
    bool isScrubbing_ = false;
    Json scrubbedFrom_;
    long double distance_ = 0;  ///< of the scrub, in units of the value
    int wheelDistance_ = 0;     ///< eighths of a degree that made no whole step yet
};

/// A 64-bit seed, whole, and a die that throws another one. Whether a run throws it is a fact of
/// the node (seedModeOf), which the inspector shows.
class SeedEditor : public ParamEditor {
    Q_OBJECT

public:
    SeedEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;
    void setProblem(const QString& problem) override;

protected:
    void showValue() override;

    /// The number marks itself.
    [[nodiscard]] QWidget* markedWidget() override { return this; }

    /// The number ends by its own Escape; that on the die is the window's: twice cancels the run.
    void keyPressEvent(QKeyEvent* event) override { QWidget::keyPressEvent(event); }

private:
    void throwDie();

    NumberField* number_;
};

}  // namespace lowtide::ui
