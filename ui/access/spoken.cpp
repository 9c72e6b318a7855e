#include "ui/access/spoken.hpp"

#include "ui/access/combo_access.hpp"
#include "ui/access/listening.hpp"
#include "ui/access/true_focus.hpp"

#include <QComboBox>
#include <QWidget>

namespace lowtide::ui {

namespace {

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
        tellAccess(event);
    } else {
        QAccessibleEvent event(&widget, QAccessible::DescriptionChanged);
        tellAccess(event);
    }
}

void stateSpoken(QWidget& widget, const QAccessible::State& changed) {
    if (isListenedTo()) {
        QAccessibleStateChangeEvent event(&widget, changed);
        tellAccess(event);
    }
}

SpokenAccess::SpokenAccess(QWidget& widget)
    : QAccessibleWidget(&widget),
      spoken_(dynamic_cast<Spoken*>(&widget)),
      number_(dynamic_cast<SpokenNumber*>(&widget)) {}

QAccessible::Role SpokenAccess::role() const {
    return spoken_->spokenRole();
}

QString SpokenAccess::text(QAccessible::Text text) const {
    const QString said = QAccessibleWidget::text(text);
    if (text == QAccessible::Value) {
        return spoken_->spokenText();
    }
    if (text != QAccessible::Description || number_ != nullptr) {
        return said;
    }
    // The bridge of AT-SPI hands on numbers alone, so words go with the description.
    const QString shown = spoken_->spokenText();
    return said.isEmpty() || shown.isEmpty() ? shown + said : shown + u'\n' + said;
}

QAccessible::State SpokenAccess::state() const {
    QAccessible::State state = QAccessibleWidget::state();
    state.invalid = widget()->property("problem").toBool();
    spoken_->addSpokenState(state);
    return state;
}

void* SpokenAccess::interface_cast(QAccessible::InterfaceType type) {
    if (type == QAccessible::ValueInterface) {
        return number_ == nullptr ? nullptr : static_cast<QAccessibleValueInterface*>(this);
    }
    return QAccessibleWidget::interface_cast(type);
}

QStringList SpokenAccess::actionNames() const {
    return widget()->isEnabled() ? spoken_->spokenActions() + QAccessibleWidget::actionNames()
                                 : QStringList();
}

void SpokenAccess::doAction(const QString& action) {
    if (spoken_->spokenActions().contains(action)) {
        spoken_->act(action);
    } else {
        QAccessibleWidget::doAction(action);
    }
}

QVariant SpokenAccess::currentValue() const {
    return number_->spokenNumber();
}

void SpokenAccess::setCurrentValue(const QVariant& value) {
    number_->takeNumber(value);
}

QVariant SpokenAccess::maximumValue() const {
    return number_->spokenRange().most;
}

QVariant SpokenAccess::minimumValue() const {
    return number_->spokenRange().least;
}

QVariant SpokenAccess::minimumStepSize() const {
    return number_->spokenRange().step;
}

}  // namespace lowtide::ui
