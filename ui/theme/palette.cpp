#include "ui/theme/theme.hpp"

namespace lowtide::ui {

namespace {

void setAll(QPalette& palette, QPalette::ColorRole role, const QColor& usual, const QColor& off) {
    palette.setColor(QPalette::Active, role, usual);
    palette.setColor(QPalette::Inactive, role, usual);
    palette.setColor(QPalette::Disabled, role, off);
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

}  // namespace lowtide::ui
