#include "ui/panels/token_colour.hpp"

#include "ui/theme/theme.hpp"

#include <QVariant>
#include <QWidget>

namespace lowtide::ui {

namespace {

constexpr const char* kToken = "lowtideTextColour";

void apply(QWidget& widget) {
    const QByteArray token = widget.property(kToken).toByteArray();
    QPalette palette = widget.palette();
    palette.setColor(QPalette::WindowText, Theme::current().colour(token.constData()));
    widget.setPalette(palette);
}

}  // namespace

void setTextColour(QWidget& widget, const char* token) {
    const bool isNew = !widget.property(kToken).isValid();
    widget.setProperty(kToken, QByteArray(token));
    apply(widget);
    if (isNew) {
        QObject::connect(
            &Themed::instance(), &Themed::changed, &widget, [&widget] { apply(widget); });
    }
}

}  // namespace lowtide::ui
