#pragma once

#include <QString>

namespace lowtide::ui {

/// A name that somebody chose, as a menu or a button shows it: no "&" in it marks a key.
[[nodiscard]] inline QString menuText(QString name) {
    return name.replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace lowtide::ui
