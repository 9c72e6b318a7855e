#pragma once

#include "ui/studio/desktop_wishes.hpp"
#include "ui/theme/theme.hpp"

namespace lowtide::ui {

/// Colours, contrast and motion as a person chose them here, or as the desktop has them, also when
/// that changes. Made before the first theme is applied, since it asks the desktop's own palette
/// where the desktop says nothing else.
class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(QObject* parent = nullptr);

    /// Follows this desktop from now on; it must outlive it.
    void follow(Desktop& desktop);

    /// "light", "dark", "light_contrast", "dark_contrast"; others count as "system".
    void use(const QString& theme);
    /// "full", "reduced"; others count as "system".
    void useMotion(const QString& motion);

private:
    void apply();
    [[nodiscard]] Theme::Scheme scheme() const;

    Theme::Scheme paletteScheme_;
    const Desktop* desktop_ = nullptr;
    bool isApplied_ = false;
    QString theme_ = QStringLiteral("system");
    QString motion_ = QStringLiteral("system");
};

}  // namespace lowtide::ui
