#include "ui/panels/icon_button.hpp"

#include "ui/theme/theme.hpp"

#include <QToolButton>

namespace lowtide::ui {

QToolButton* makeIconButton(const char* icon,
                            const QString& text,
                            const char* name,
                            QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setIcon(Theme::current().icon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

}  // namespace lowtide::ui
