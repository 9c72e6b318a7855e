#pragma once

#include "ui/theme/theme.hpp"

#include <QColor>
#include <QFont>
#include <QIcon>

#include <map>
#include <string>
#include <utility>

namespace lowtide::ui {

/// Colours and fonts of the canvas, looked up once for each theme: painting a thousand nodes asks
/// for them often. Everything comes from tokens of the theme or is mixed from two of them.
struct Look {
    explicit Look(const Theme& theme);

    /// Colour and port shape of a wire type.
    struct Wire {
        QColor colour;
        Theme::PortShape shape = Theme::PortShape::Circle;
    };

    [[nodiscard]] const Wire& wire(const std::string& type) const;

    /// Ground of a frame or note by the name that the document keeps; unknown names are neutral.
    [[nodiscard]] QColor ground(const std::string& name) const;
    [[nodiscard]] const QIcon& icon(const char* name, const char* token) const;

    QColor canvas, grid, body, header, row, rowEdge, hover, border, text, muted, accent, accentText,
        selected, running, warning, warningSoft, error, errorSoft, success, lossy, focus, shadow;
    bool isHighContrast;  ///< nothing is told by a faint colour alone
    double wireWidth;     ///< of a wire that does not stand out
    QFont bodyFont, smallFont, strongFont;
    QFont largeFont, largeStrongFont;  ///< small and strong, to be read from afar

private:
    const Theme* theme_;
    mutable std::map<std::string, Wire> wires_;
    mutable std::map<std::pair<std::string, std::string>, QIcon> icons_;
};

/// Names of grounds that a person may choose.
inline constexpr const char* kGrounds[] = {"grey", "blue", "green", "amber", "red", "violet"};

/// `share` of the second colour in the first one, 0 to 1.
[[nodiscard]] QColor mixed(const QColor& first, const QColor& second, double share);
[[nodiscard]] QColor faded(QColor colour, double opacity);

}  // namespace lowtide::ui
