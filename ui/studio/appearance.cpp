#include "ui/studio/appearance.hpp"

#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QPalette>

namespace lowtide::ui {

Appearance::Appearance(QObject* parent)
    : QObject(parent),
      isSystemDark_(QApplication::palette().color(QPalette::Window).lightness() <
                    QApplication::palette().color(QPalette::WindowText).lightness()) {}

void Appearance::use(const QString& choice) {
    const bool isDark =
        choice == QLatin1String("dark") || (choice != QLatin1String("light") && isSystemDark_);
    const Theme::Scheme scheme = isDark ? Theme::Scheme::Dark : Theme::Scheme::Light;
    const auto theme = std::make_shared<const Theme>(scheme);
    theme->applyTo(*qApp);
    Theme::setCurrent(theme);
}

}  // namespace lowtide::ui
