#include "ui/editors/number_field.hpp"

#include "ui/access/announce.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QRandomGenerator>
#include <QToolButton>

namespace lowtide::ui {

namespace {

constexpr int kPadding = 8;
constexpr int kWheelNotch = 120;  ///< eighths of a degree

}  // namespace

NumberField::NumberField(const ParamDesc& param, QWidget* parent)
    : ParamEditor(param, parent), typing_(named("typing", new QLineEdit(this))) {
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::SizeHorCursor);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(Theme::current().size("control"));
    typing_->setAccessibleName(accessibleName());
    typing_->hide();
    typing_->installEventFilter(this);
    EditSession::watch(*typing_, [this] { return endTyping(); });
    connect(typing_, &QLineEdit::textEdited, this, [this] { forgetTyping(); });
}

QString NumberField::unit() const {
    return unitText(param(), value());
}

QSize NumberField::sizeHint() const {
    return {120, Theme::current().size("control")};
}

QSize NumberField::minimumSizeHint() const {
    return {56, Theme::current().size("control")};
}

QString NumberField::spokenText() const {
    return valueText(param(), value());
}

QStringList NumberField::spokenActions() const {
    return {QAccessibleActionInterface::pressAction()};
}

void NumberField::act(const QString&) {
    begin();
}

QVariant NumberField::spokenNumber() const {
    const std::optional<long double> number = numberOf(value());
    return number ? QVariant(static_cast<double>(*number)) : QVariant();
}

void NumberField::takeNumber(const QVariant& number) {
    const TypedValue taken = valueFrom(param(), static_cast<long double>(number.toDouble()));
    if (!taken.value) {
        announce(*this, taken.problem, Urgency::Urgent);
        return;
    }
    stopTyping();
    propose(*taken.value, true);
    update();
}

SpokenNumber::Range NumberField::spokenRange() const {
    const auto bound = [](const std::optional<double>& limit) {
        return limit ? QVariant(*limit) : QVariant();
    };
    return {bound(param().min), bound(param().max), stepOf(param())};
}

/// A value that arrives while somebody types, a seed that a run draws, takes nothing away.
void NumberField::showValue() {
    if (!typing_->isHidden()) {
        EditSession::showUnlessTyped(*typing_, numberText(param(), value()));
        if (!typing_->isModified()) {
            typing_->selectAll();
        }
    }
    update();
}

void NumberField::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    QStyleOption option;
    option.initFrom(this);
    WidgetState state(option);
    state.isWrong = property("problem").toBool();
    paintField(painter, rect(), state);
    if (const auto fraction = softFraction(param(), value()); fraction && isEnabled()) {
        QPainterPath inside;
        inside.addRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 2, 2);
        painter.setClipPath(inside);
        painter.fillRect(QRectF(2, 2, (width() - 4) * *fraction, height() - 4),
                         theme.colour("selection"));
        painter.setClipping(false);
    }
    const QRect area = rect().adjusted(kPadding, 0, -kPadding, 0);
    const QString text = numberText(param(), value());
    painter.setPen(theme.colour(isEnabled() ? "text" : "text.disabled"));
    painter.drawText(area,
                     Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(text, Qt::ElideRight, area.width()));
    const int left = fontMetrics().horizontalAdvance(text) + kPadding;
    if (left + fontMetrics().horizontalAdvance(unit()) <= area.width()) {
        painter.setPen(theme.colour(isEnabled() ? "text.muted" : "text.disabled"));
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignRight, unit());
    }
}

void NumberField::resizeEvent(QResizeEvent* event) {
    ParamEditor::resizeEvent(event);
    typing_->setGeometry(rect());
}

void NumberField::begin() {
    startTyping(numberText(param(), value()));
    typing_->selectAll();
}

void NumberField::startTyping(const QString& text) {
    sinceTyping_.start();
    typing_->setGeometry(rect());
    typing_->setText(text);
    typing_->show();
    typing_->setFocus(Qt::OtherFocusReason);
}

void NumberField::stopTyping() {
    const bool hadFocus = typing_->hasFocus();
    typing_->hide();
    if (hadFocus) {
        setFocus(Qt::OtherFocusReason);
    }
    markProblem(*typing_, {}, {});
    forgetTyping();
}

bool NumberField::takeTyping() {
    QString text = typing_->text().trimmed();
    for (const QString& written : {QString::fromStdString(param().unit), unit()}) {
        if (!written.isEmpty() && text.endsWith(written)) {
            text.chop(written.size());
        }
    }
    if (text == numberText(param(), value())) {
        return true;
    }
    const Evaluated typed = evaluate(text, numberOf(value()).value_or(0));
    const TypedValue taken =
        typed.number ? valueFrom(param(), *typed.number) : TypedValue{{}, typed.problem};
    if (!taken.value) {
        refuse(taken.problem);
        markProblem(*typing_, taken.problem, {});
        return false;
    }
    return propose(*taken.value, true);
}

/// What was typed is taken, or is kept with its mark.
bool NumberField::endTyping() {
    if (typing_->isHidden()) {
        return true;
    }
    if (!takeTyping()) {
        return false;
    }
    stopTyping();
    Q_EMIT dismissed();
    return true;
}

void NumberField::reset() {
    stopTyping();
    propose(defaultValue(), true);
    update();
}

void NumberField::scrub(int pixels, Qt::KeyboardModifiers modifiers) {
    const ScrubSpeed speed = scrubSpeed(param(), modifiers);
    distance_ += pixels * static_cast<long double>(speed.perPixel);
    const auto start = numberOf(scrubbedFrom_).value_or(0);
    const long double number = scrubbed(param(), start, distance_, speed.quantum);
    if (const TypedValue taken = valueFrom(param(), number); taken.value) {
        propose(*taken.value, false);
    }
    update();
}

void NumberField::step(double steps, Qt::KeyboardModifiers modifiers) {
    const auto now = numberOf(value());
    if (!now) {
        return;
    }
    const long double number =
        withinHardRange(param(), *now + steps * scrubSpeed(param(), modifiers).step);
    if (const TypedValue taken = valueFrom(param(), rounded(param(), number)); taken.value) {
        propose(*taken.value, true);
    }
    if (typing_->isVisible()) {
        typing_->setText(numberText(param(), value()));
        typing_->selectAll();
    }
    update();
}

void NumberField::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return event->ignore();
    }
    pressedAt_ = event->pos();
    lastX_ = event->pos().x();
    isScrubbing_ = false;
}

void NumberField::mouseMoveEvent(QMouseEvent* event) {
    if (!pressedAt_ || !numberOf(value())) {
        return;
    }
    if (!isScrubbing_) {
        if (std::abs(event->pos().x() - pressedAt_->x()) < QApplication::startDragDistance() / 2) {
            return;
        }
        isScrubbing_ = true;
        scrubbedFrom_ = value();
        distance_ = 0;
    }
    scrub(event->pos().x() - lastX_, event->modifiers());
    lastX_ = event->pos().x();
}

void NumberField::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressedAt_) {
        return event->ignore();
    }
    pressedAt_.reset();
    if (isScrubbing_) {
        isScrubbing_ = false;
        finish();
    } else if (rect().contains(event->pos())) {
        begin();
    }
}

void NumberField::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        pressedAt_.reset();
        reset();
    }
}

void NumberField::wheelEvent(QWheelEvent* event) {
    if (!hasFocus() && !typing_->hasFocus()) {
        return event->ignore();
    }
    // Shift and Alt turn the wheel on some platforms.
    const QPoint delta = event->angleDelta();
    wheelDistance_ += delta.y() != 0 ? delta.y() : delta.x();
    if (const int notches = wheelDistance_ / kWheelNotch; notches != 0) {
        wheelDistance_ -= notches * kWheelNotch;
        step(notches, event->modifiers());
    }
    event->accept();
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    const Qt::KeyboardModifiers modifiers = event->modifiers();
    switch (event->key()) {
        case Qt::Key_Up:
            return step(1, modifiers);
        case Qt::Key_Down:
            return step(-1, modifiers);
        case Qt::Key_PageUp:
            return step(10, modifiers);
        case Qt::Key_PageDown:
            return step(-10, modifiers);
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            return reset();
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_F2:
            if (modifiers & ~Qt::KeypadModifier) {
                break;  // Ctrl+Enter runs the graph
            }
            return begin();
        case Qt::Key_Escape:
            if (isScrubbing_) {
                isScrubbing_ = false;
                pressedAt_.reset();
                propose(scrubbedFrom_, true);
                return update();
            }
            break;
        default:
            break;
    }
    const QString text = event->text();
    const bool isTyped = !text.isEmpty() && QStringLiteral("0123456789+-*/.,(").contains(text[0]);
    if (isTyped && !(modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))) {
        return startTyping(text);
    }
    ParamEditor::keyPressEvent(event);
}

bool NumberField::typingKey(QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
            if (takeTyping()) {
                step(event.key() == Qt::Key_Up ? 1 : -1, event.modifiers());
            }
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            endTyping();
            event.setAccepted(!(event.modifiers() & Qt::ControlModifier));  // the window's to run
            return true;
        case Qt::Key_Escape:
            stopTyping();
            Q_EMIT dismissed();
            return true;
        default:
            return false;
    }
}

bool NumberField::eventFilter(QObject* watched, QEvent* event) {
    if (watched != typing_) {
        return ParamEditor::eventFilter(watched, event);
    }
    if (event->type() == QEvent::KeyPress) {
        return typingKey(*static_cast<QKeyEvent*>(event));
    }
    if (event->type() == QEvent::MouseButtonDblClick &&
        sinceTyping_.elapsed() < QApplication::doubleClickInterval()) {
        // The first click opened the typing; the second makes it a double click on the field.
        reset();
        return true;
    }
    if (event->type() == QEvent::Wheel) {
        wheelEvent(static_cast<QWheelEvent*>(event));
        return true;
    }
    return ParamEditor::eventFilter(watched, event);
}

SeedEditor::SeedEditor(const ParamDesc& param, QWidget* parent)
    : ParamEditor(param, parent), number_(named("number", new NumberField(param, this))) {
    QToolButton* die = makeIconButton("dice", tr("Another random seed"), "dice", this);
    die->setAutoRaise(false);
    rowIn(this, 1, {{number_, 1}, die});
    setFocusProxy(number_);
    connect(number_, &ParamEditor::edited, this, &SeedEditor::propose);
    connect(number_, &ParamEditor::dismissed, this, &ParamEditor::dismissed);
    connect(die, &QToolButton::clicked, this, &SeedEditor::throwDie);
}

void SeedEditor::showValue() {
    number_->setValue(value());
}

void SeedEditor::setProblem(const QString& problem) {
    number_->setProblem(problem);
}

void SeedEditor::begin() {
    number_->begin();
}

void SeedEditor::throwDie() {
    propose(drawnSeed(param(), QRandomGenerator::global()->generate64()), true);
    showValue();
}

}  // namespace lowtide::ui
