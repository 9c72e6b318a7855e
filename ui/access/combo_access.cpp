#include "ui/access/combo_access.hpp"

#include <QComboBox>

namespace lowtide::ui {

ComboAccess::ComboAccess(QComboBox& box)
    : QAccessibleWidget(&box, QAccessible::ComboBox), box_(box) {}

QString ComboAccess::text(QAccessible::Text text) const {
    if (text == QAccessible::Value) {
        return box_.currentText();
    }
    const QString said = QAccessibleWidget::text(text);
    if (text != QAccessible::Name) {
        return said;
    }
    return said.isEmpty() ? box_.currentText()
                          : QStringLiteral("%1: %2").arg(said, box_.currentText());
}

QAccessible::State ComboAccess::state() const {
    QAccessible::State state = QAccessibleWidget::state();
    state.hasPopup = true;
    state.expandable = true;
    return state;
}

QStringList ComboAccess::actionNames() const {
    return box_.isEnabled() ? QStringList{showMenuAction()} + QAccessibleWidget::actionNames()
                            : QStringList();
}

void ComboAccess::doAction(const QString& action) {
    if (action == showMenuAction()) {
        box_.showPopup();
    } else {
        QAccessibleWidget::doAction(action);
    }
}

}  // namespace lowtide::ui
