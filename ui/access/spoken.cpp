#include "ui/access/spoken.hpp"

#include "ui/access/announce.hpp"

#include <QAbstractItemView>
#include <QAccessible>
#include <QAccessibleWidget>
#include <QComboBox>
#include <QWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// Whoever handled events before goes on to do so.
QAccessible::UpdateHandler& handlerBefore() {
    static QAccessible::UpdateHandler handler = nullptr;
    return handler;
}

void handOn(QAccessibleEvent* event) {
    const auto* list = qobject_cast<const QAbstractItemView*>(event->object());
    if (event->type() == QAccessible::Focus && list != nullptr && !list->hasFocus()) {
        return;
    }
    QAccessible::installUpdateHandler(handlerBefore());
    QAccessible::updateAccessibility(event);
    QAccessible::installUpdateHandler(handOn);
}

/// Qt 6.4 reports a list's new current row as if it had the keyboard, also where the list has it
/// not: a strip that follows what is shown elsewhere would seem to take the keyboard. From now on
/// such events are reported to nobody. A second call does nothing.
void keepFocusTrue() {
    const QAccessible::UpdateHandler now = QAccessible::installUpdateHandler(handOn);
    if (now != handOn) {
        handlerBefore() = now;
    }
}

/// A list that shows its choice. On Linux Qt gives it the choice alone as its name, so nobody would
/// hear what is chosen: here it is "Sampler: Euler".
class ComboAccess : public QAccessibleWidget {
public:
    explicit ComboAccess(QComboBox& box)
        : QAccessibleWidget(&box, QAccessible::ComboBox), box_(box) {}

    [[nodiscard]] QString text(QAccessible::Text text) const override {
        if (text == QAccessible::Value) {
            return box_.currentText();
        }
        const QString message = QAccessibleWidget::text(text);
        if (text != QAccessible::Name) {
            return message;
        }
        return message.isEmpty() ? box_.currentText()
                                 : QStringLiteral("%1: %2").arg(message, box_.currentText());
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.hasPopup = true;
        state.expandable = true;
        return state;
    }

    [[nodiscard]] QStringList actionNames() const override {
        return box_.isEnabled() ? QStringList{showMenuAction()} + QAccessibleWidget::actionNames()
                                : QStringList();
    }

    void doAction(const QString& action) override {
        if (action == showMenuAction()) {
            box_.showPopup();
        } else {
            QAccessibleWidget::doAction(action);
        }
    }

private:
    QComboBox& box_;
};

/// A Spoken as Qt's accessibility sees it.
class SpokenAccess : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    /// `widget` must be a Spoken.
    explicit SpokenAccess(QWidget& widget)
        : QAccessibleWidget(&widget),
          spoken_(dynamic_cast<Spoken*>(&widget)),
          number_(dynamic_cast<SpokenNumber*>(&widget)) {}

    [[nodiscard]] QAccessible::Role role() const override { return spoken_->spokenRole(); }

    [[nodiscard]] QString text(QAccessible::Text text) const override {
        const QString message = QAccessibleWidget::text(text);
        if (text == QAccessible::Value) {
            return spoken_->spokenText();
        }
        if (text != QAccessible::Description || number_ != nullptr) {
            return message;
        }
        // The bridge of AT-SPI hands on numbers alone, so words go with the description.
        const QString shown = spoken_->spokenText();
        return message.isEmpty() || shown.isEmpty() ? shown + message : shown + u'\n' + message;
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.invalid = widget()->property("problem").toBool();
        spoken_->addSpokenState(state);
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        if (type == QAccessible::ValueInterface) {
            return number_ == nullptr ? nullptr : static_cast<QAccessibleValueInterface*>(this);
        }
        return QAccessibleWidget::interface_cast(type);
    }

    [[nodiscard]] QStringList actionNames() const override {
        return widget()->isEnabled() ? spoken_->spokenActions() + QAccessibleWidget::actionNames()
                                     : QStringList();
    }

    void doAction(const QString& action) override {
        if (spoken_->spokenActions().contains(action)) {
            spoken_->act(action);
        } else {
            QAccessibleWidget::doAction(action);
        }
    }

    [[nodiscard]] QVariant currentValue() const override { return number_->spokenNumber(); }

    void setCurrentValue(const QVariant& value) override { number_->takeNumber(value); }

    [[nodiscard]] QVariant maximumValue() const override { return number_->spokenRange().most; }

    [[nodiscard]] QVariant minimumValue() const override { return number_->spokenRange().least; }

    [[nodiscard]] QVariant minimumStepSize() const override { return number_->spokenRange().step; }

private:
    Spoken* spoken_;
    SpokenNumber* number_;  ///< nullptr: none
};

QAccessibleInterface* accessOf(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    auto* box = qobject_cast<QComboBox*>(widget);
    if (box != nullptr && !box->isEditable()) {
        return new ComboAccess(*box);
    }
    return widget != nullptr && dynamic_cast<Spoken*>(widget) != nullptr ? new SpokenAccess(*widget)
                                                                         : nullptr;
}

}  // namespace

void installAccess() {
    QAccessible::installFactory(accessOf);
    keepFocusTrue();
}

Spoken::Spoken() {
    installAccess();
}

void valueSpoken(QWidget& widget) {
    if (!isListenedTo()) {
        return;
    }
    if (auto* number = dynamic_cast<SpokenNumber*>(&widget)) {
        QAccessibleValueChangeEvent event(&widget, number->spokenNumber());
        announceAccess(event);
    } else {
        QAccessibleEvent event(&widget, QAccessible::DescriptionChanged);
        announceAccess(event);
    }
}

void stateSpoken(QWidget& widget, const QAccessible::State& changed) {
    if (isListenedTo()) {
        QAccessibleStateChangeEvent event(&widget, changed);
        announceAccess(event);
    }
}

QString PlainText::text(int start, int end) const {
    const QString whole = read_();
    const auto size = static_cast<int>(whole.size());
    const int from = std::clamp(start, 0, size);
    const int to = end < 0 ? size : std::clamp(end, from, size);
    return whole.mid(from, to - from);
}

QString PlainText::attributes(int, int* start, int* end) const {
    *start = 0;
    *end = characterCount();
    return {};
}

void PlainText::replaceText(int start, int end, const QString& text) {
    QString whole = read_();
    const auto size = static_cast<int>(whole.size());
    const int from = std::clamp(start, 0, size);
    const int to = std::clamp(end, from, size);
    whole.replace(from, to - from, text);
    write_(whole);
}

}  // namespace lowtide::ui
