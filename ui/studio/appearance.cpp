#include "ui/studio/appearance.hpp"

#include <QApplication>
#include <QPalette>

namespace lowtide::ui {

Appearance::Appearance(QObject* parent)
    : QObject(parent), systemScheme_(Theme::schemeOf(QApplication::palette())) {}

void Appearance::use(const QString& choice) {
    const Theme::Scheme scheme = choice == QLatin1String("dark")    ? Theme::Scheme::Dark
                                 : choice == QLatin1String("light") ? Theme::Scheme::Light
                                                                    : systemScheme_;
    const auto theme = std::make_shared<const Theme>(scheme);
    theme->applyTo(*qApp);
    Theme::setCurrent(theme);
}

}  // namespace lowtide::ui
