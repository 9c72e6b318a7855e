#pragma once

#include "ui/theme/theme.hpp"

namespace lowtide::ui {

/// Light, dark, or as the desktop was when the program started. Made before the first theme is
/// applied, since it asks the desktop's own palette.
class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(QObject* parent = nullptr);

    /// "system", "light", "dark"; others count as "system".
    void use(const QString& choice);

private:
    Theme::Scheme systemScheme_;
};

}  // namespace lowtide::ui
