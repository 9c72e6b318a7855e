#include "ui/editors/switch_editor.hpp"

#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace lowtide::ui {

namespace {

constexpr int kWidth = 36;
constexpr int kHeight = 20;

}  // namespace

SwitchEditor::SwitchEditor(const ParamDesc& param, QWidget* parent) : ParamEditor(param, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(Theme::current().size("control"));
}

QSize SwitchEditor::sizeHint() const {
    return {kWidth + Theme::space(2), Theme::current().size("control")};
}

void SwitchEditor::addSpokenState(QAccessible::State& state) const {
    state.checkable = true;
    state.checked = isOn();
}

QStringList SwitchEditor::spokenActions() const {
    return {QAccessibleActionInterface::toggleAction()};
}

void SwitchEditor::act(const QString&) {
    toggle();
}

void SwitchEditor::valueReported() {
    QAccessible::State changed;
    changed.checked = true;
    stateSpoken(*this, changed);
}

void SwitchEditor::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOption option;
    option.initFrom(this);
    const WidgetState state(option);
    const bool isWrong = property("problem").toBool();
    const QRectF track(4, (height() - kHeight) / 2, kWidth, kHeight);
    const bool isFilled = isOn() && isEnabled();
    paintBox(painter,
             track,
             themeColour(isFilled          ? (state.isHovered ? "accent.hover" : "accent")
                         : state.isHovered ? "hover"
                                           : "field"),
             isFilled ? QColor()
                      : themeColour(isWrong       ? "error"
                                    : isEnabled() ? "border.strong"
                                                  : "border"),
             kHeight / 2.0);
    QRectF knob(0, 0, 14, 14);
    knob.moveCenter({isOn() ? track.right() - 10 : track.left() + 10, track.center().y()});
    const char* ink = !isEnabled() ? "text.disabled" : isOn() ? "accent.text" : "text.muted";
    paintBox(painter, knob, themeColour(ink), QColor(), 7);
    if (isOn()) {
        paintGlyph(painter, knob, "check", isEnabled() ? "accent" : "surface", 10);
    }
    if (hasFocus()) {
        paintFocusRing(painter, track.adjusted(-3, -3, 3, 3), kHeight / 2.0 + 2);
    }
}

void SwitchEditor::toggle() {
    propose(!isOn(), true);
    update();
}

void SwitchEditor::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->pos())) {
        toggle();
    }
}

void SwitchEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space) {
        return toggle();
    }
    ParamEditor::keyPressEvent(event);
}

/// A click into the row of a switch is the wish to switch it.
void SwitchEditor::begin() {
    setFocus(Qt::OtherFocusReason);
    toggle();
    Q_EMIT dismissed();
}

}  // namespace lowtide::ui
