#include "ui/canvas/look.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kDarkShadow = 0.28;
constexpr double kLightShadow = 0.08;
constexpr double kLarger = 1.4;  ///< as much as the rows of a node have room for

QFont larger(QFont font) {
    font.setPixelSize(static_cast<int>(std::round(font.pixelSize() * kLarger)));
    return font;
}

}  // namespace

QColor mixed(const QColor& first, const QColor& second, double share) {
    const auto between = [share](double a, double b) { return a + (b - a) * share; };
    return QColor::fromRgbF(static_cast<float>(between(first.redF(), second.redF())),
                            static_cast<float>(between(first.greenF(), second.greenF())),
                            static_cast<float>(between(first.blueF(), second.blueF())),
                            static_cast<float>(between(first.alphaF(), second.alphaF())));
}

QColor faded(QColor colour, double opacity) {
    colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
    return colour;
}

Look::Look(const Theme& theme)
    : canvas(theme.colour("canvas")),
      grid(theme.colour("canvas.grid")),
      body(theme.colour("node")),
      header(theme.colour("node.header")),
      row(theme.colour("node.row")),
      rowEdge(theme.colour("node.row.edge")),
      hover(theme.colour("hover")),
      border(theme.colour("node.border")),
      text(theme.colour("text")),
      muted(theme.colour("text.muted")),
      accent(theme.colour("accent")),
      accentText(theme.colour("accent.text")),
      selected(theme.colour("node.selected")),
      running(theme.colour("node.running")),
      warning(theme.colour("warning")),
      warningSoft(theme.colour("warning.soft")),
      error(theme.colour("error")),
      errorSoft(theme.colour("error.soft")),
      success(theme.colour("success")),
      lossy(theme.colour("lossy")),
      focus(theme.colour("focus")),
      shadow(faded(theme.colour("shadow"), theme.isDark() ? kDarkShadow : kLightShadow)),
      isHighContrast(theme.isHighContrast()),
      wireWidth(theme.size("wire")),
      bodyFont(theme.font("body")),
      smallFont(theme.font("small")),
      strongFont(theme.font("strong")),
      largeFont(larger(smallFont)),
      largeStrongFont(larger(strongFont)),
      theme_(&theme) {
    for (QFont* font : {&bodyFont, &smallFont, &strongFont, &largeFont, &largeStrongFont}) {
        font->setHintingPreference(QFont::PreferNoHinting);  // widths must not depend on the zoom
    }
}

const Look::Wire& Look::wire(const std::string& type) const {
    auto found = wires_.find(type);
    if (found == wires_.end()) {
        found = wires_.emplace(type, Wire{theme_->wireColour(type), theme_->portShape(type)}).first;
    }
    return found->second;
}

QColor Look::ground(const std::string& name) const {
    for (const char* known : kGrounds) {
        if (name == known) {
            return theme_->colour(known);
        }
    }
    return theme_->colour(kGrounds[0]);
}

const QIcon& Look::icon(const char* name, const char* token) const {
    const std::pair<std::string, std::string> key(name, token);
    auto found = icons_.find(key);
    if (found == icons_.end()) {
        found = icons_.emplace(key, theme_->icon(name, token)).first;
    }
    return found->second;
}

}  // namespace lowtide::ui
