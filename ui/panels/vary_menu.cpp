#include "ui/panels/vary_menu.hpp"

#include <QCoreApplication>
#include <QMenu>

namespace lowtide::ui {

namespace {

class VaryWords {
    Q_DECLARE_TR_FUNCTIONS(VaryMenu)
};

}  // namespace

void showVaryMenu(QWidget& widget, const QPoint& place, const std::function<void(bool)>& act) {
    auto* menu = new QMenu(&widget);
    menu->setObjectName(QStringLiteral("varyMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, const char* name, bool areRows) {
        QAction* action = menu->addAction(text);
        action->setObjectName(QLatin1String(name));
        QObject::connect(action, &QAction::triggered, &widget, [act, areRows] { act(areRows); });
    };
    add(VaryWords::tr("Vary in a sheet, as columns (&X)..."), "varyColumns", false);
    add(VaryWords::tr("Vary in a sheet, as rows (&Y)..."), "varyRows", true);
    menu->popup(place);
}

}  // namespace lowtide::ui
