#include "ui/theme/theme.hpp"

#include "plugin/base/error.hpp"
#include "ui/theme/icons.hpp"
#include "ui/theme/studio_style.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/tokens.hpp"

#include <QApplication>
#include <QToolTip>

#include <array>
#include <utility>

namespace lowtide::ui {

namespace {

void setAll(QPalette& palette, QPalette::ColorRole role, const QColor& usual, const QColor& off) {
    palette.setColor(QPalette::Active, role, usual);
    palette.setColor(QPalette::Inactive, role, usual);
    palette.setColor(QPalette::Disabled, role, off);
}

constexpr std::array<std::pair<const char*, Theme::PortShape>, 6> kShapes = {{
    {"circle", Theme::PortShape::Circle},
    {"square", Theme::PortShape::Square},
    {"diamond", Theme::PortShape::Diamond},
    {"triangle", Theme::PortShape::Triangle},
    {"hexagon", Theme::PortShape::Hexagon},
    {"ring", Theme::PortShape::RingBuffer},
}};

Theme::PortShape shapeNamed(const Json& look, const std::string& wireType) {
    const std::string name = look.value("shape", "");
    for (const auto& [known, shape] : kShapes) {
        if (name == known) {
            return shape;
        }
    }
    throw Error(
        ErrorKind::Corrupt,
        message("theme token \"wires.{}\" has no shape that is known: \"{}\"", wireType, name),
        message("fix resources/themes/tokens.json and build again"));
}

template <typename Value>
const Value& valueOf(const std::map<std::string, Value>& values, const char* token) {
    const auto found = values.find(token);
    if (found == values.end()) {
        qFatal("the theme has no token \"%s\"", token);
    }
    return found->second;
}

/// FNV-1a: the same look for a type on every machine.
size_t hashOf(const std::string& text) {
    uint64_t hash = 14695981039346656037u;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
    }
    return static_cast<size_t>(hash ^ (hash >> 32));
}

std::shared_ptr<const Theme>& inUse() {
    static std::shared_ptr<const Theme> theme;
    return theme;
}

}  // namespace

QPalette Theme::palette() const {
    const QColor off = colour("text.disabled");
    QPalette palette;
    const auto ground = [&](QPalette::ColorRole role, const char* token) {
        setAll(palette, role, colour(token), colour(token));
    };
    const auto ink = [&](QPalette::ColorRole role, const char* token) {
        setAll(palette, role, colour(token), off);
    };
    ground(QPalette::Window, "surface");
    ground(QPalette::Base, "field");
    ground(QPalette::AlternateBase, "surface");
    ground(QPalette::Button, "raised");
    ground(QPalette::ToolTipBase, "tooltip");
    ground(QPalette::Highlight, "selection");
    ground(QPalette::Light, "raised");
    ground(QPalette::Midlight, "hover");
    ground(QPalette::Mid, "border");
    ground(QPalette::Dark, "border.strong");
    ground(QPalette::Shadow, "shadow");
    ground(QPalette::ToolTipText, "tooltip.text");
    ink(QPalette::WindowText, "text");
    ink(QPalette::Text, "text");
    ink(QPalette::ButtonText, "text");
    ink(QPalette::BrightText, "error");
    ink(QPalette::HighlightedText, "text");
    ink(QPalette::PlaceholderText, "text.muted");
    ink(QPalette::Link, "link");
    ink(QPalette::LinkVisited, "link");
    return palette;
}

Theme::Theme(Scheme scheme) : scheme_(scheme) {
    loadBundledFonts();
    const Json tokens = themeTokens(isHighContrast());
    const TokenReader reader(tokens, isDark() ? 1 : 0);
    colours_ = reader.colours();
    sizes_ = reader.sizes();
    fonts_ = reader.fonts();
    for (const auto& [type, look] : reader.section("wires").items()) {
        const Json pair = look.value("colour", Json());
        wires_[type] = {reader.colourOf(pair, "wires." + type), shapeNamed(look, type)};
    }
    for (const Json& pair : reader.section("other_wires")) {
        otherWires_.push_back(reader.colourOf(pair, "other_wires"));
    }
}

Theme::Scheme Theme::schemeOf(const QPalette& palette) {
    const bool isDark = palette.color(QPalette::Window).lightness() <
                        palette.color(QPalette::WindowText).lightness();
    return isDark ? Scheme::Dark : Scheme::Light;
}

QColor Theme::colour(const char* token) const {
    return valueOf(colours_, token);
}

QColor Theme::softColour(const char* token, double opacity) const {
    return isHighContrast() ? colour(token) : withAlpha(colour(token), opacity);
}

QFont Theme::font(const char* role) const {
    return valueOf(fonts_, role);
}

int Theme::size(const char* token) const {
    return valueOf(sizes_, token);
}

Theme::WireLook Theme::lookOf(const std::string& wireType) const {
    if (const auto known = wires_.find(wireType); known != wires_.end()) {
        return known->second;
    }
    const size_t hash = hashOf(wireType);
    return {otherWires_[hash % otherWires_.size()],
            kShapes[hash / otherWires_.size() % kShapes.size()].second};
}

QColor Theme::wireColour(const std::string& wireType) const {
    return lookOf(wireType).colour;
}

Theme::PortShape Theme::portShape(const std::string& wireType) const {
    return lookOf(wireType).shape;
}

QIcon Theme::icon(const char* name, const char* colourToken) const {
    static_cast<void>(colour(colourToken));  // ends the program here, not when it is painted
    return QIcon(new IconEngine(name, colourToken));
}

void Theme::applyTo(QApplication& application) const {
    if (!dynamic_cast<StudioStyle*>(QApplication::style())) {
        QApplication::setStyle(new StudioStyle);
    }
    const QPalette colours = palette();
    QApplication::setPalette(colours);
    QToolTip::setPalette(colours);
    application.setFont(font("body"));
    QToolTip::setFont(font("small"));
}

const Theme& Theme::current() {
    if (!inUse()) {
        inUse() = std::make_shared<const Theme>(Scheme::Light);
    }
    return *inUse();
}

void Theme::setCurrent(std::shared_ptr<const Theme> theme) {
    inUse() = std::move(theme);
    Q_EMIT Themed::instance().changed();
}

Themed& Themed::instance() {
    static Themed themed;
    return themed;
}

void Themed::setMotionReduced(bool isReduced) {
    if (isReduced == isMotionReduced_) {
        return;
    }
    isMotionReduced_ = isReduced;
    if (isReduced) {
        flashTime_ = QApplication::cursorFlashTime();
        hadEffects_ = QApplication::isEffectEnabled(Qt::UI_General);
        QApplication::setEffectEnabled(Qt::UI_General, false);
        QApplication::setCursorFlashTime(0);
    } else {
        QApplication::setEffectEnabled(Qt::UI_General, hadEffects_);
        QApplication::setCursorFlashTime(flashTime_);
    }
    Q_EMIT changed();
}

}  // namespace lowtide::ui
