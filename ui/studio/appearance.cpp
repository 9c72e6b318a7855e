#include "ui/studio/appearance.hpp"

#include <QApplication>
#include <QPalette>

namespace lowtide::ui {

namespace {

constexpr std::pair<const char*, Theme::Scheme> kNamedSchemes[] = {
    {"light", Theme::Scheme::Light},
    {"dark", Theme::Scheme::Dark},
    {"light_contrast", Theme::Scheme::LightContrast},
    {"dark_contrast", Theme::Scheme::DarkContrast}};

}  // namespace

Appearance::Appearance(QObject* parent)
    : QObject(parent), paletteScheme_(Theme::schemeOf(QApplication::palette())) {}

void Appearance::follow(Desktop& desktop) {
    desktop_ = &desktop;
    connect(&desktop, &Desktop::changed, this, &Appearance::apply);
}

void Appearance::use(const QString& theme) {
    theme_ = theme;
    apply();
}

void Appearance::useMotion(const QString& motion) {
    motion_ = motion;
    apply();
}

Theme::Scheme Appearance::scheme() const {
    for (const auto& [name, scheme] : kNamedSchemes) {
        if (theme_ == QLatin1String(name)) {
            return scheme;
        }
    }
    const DesktopWishes wishes = desktop_ ? desktop_->wishes() : DesktopWishes();
    const bool isDark = wishes.isDark.value_or(paletteScheme_ == Theme::Scheme::Dark);
    return wishes.isHighContrast
               ? (isDark ? Theme::Scheme::DarkContrast : Theme::Scheme::LightContrast)
               : (isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
}

void Appearance::apply() {
    const bool isReduced =
        motion_ == QLatin1String("reduced") ||
        (motion_ != QLatin1String("full") && desktop_ && desktop_->wishes().isMotionReduced);
    Themed::instance().setMotionReduced(isReduced);
    const auto theme = std::make_shared<const Theme>(scheme());
    if (theme->scheme() == Theme::current().scheme() && isApplied_) {
        return;
    }
    isApplied_ = true;
    theme->applyTo(*qApp);
    Theme::setCurrent(theme);
}

}  // namespace lowtide::ui
