#include "ui/canvas/pointer_tip.hpp"

#include "ui/theme/theme.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kAway = 16;
constexpr int kMostTipWidth = 360;

}  // namespace

PointerTip::PointerTip(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("pointerTip"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAutoFillBackground(true);
    setFrameShape(QFrame::StyledPanel);
    setMargin(Theme::space(2));
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    hide();
}

void PointerTip::say(const QString& text, QPoint at) {
    if (text.isEmpty()) {
        hide();
        return;
    }
    const Theme& theme = Theme::current();
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.colour("tooltip"));
    colours.setColor(QPalette::WindowText, theme.colour("tooltip.text"));
    setPalette(colours);
    setFont(theme.font("small"));
    setText(text);
    const int textWidth = fontMetrics().horizontalAdvance(text) + 2 * margin() + 8;
    const int width = std::min(textWidth, std::min(kMostTipWidth, parentWidget()->width()));
    resize(width, heightForWidth(width));
    const QPoint place = at + QPoint(kAway, kAway);
    move(std::clamp(place.x(), 0, std::max(0, parentWidget()->width() - this->width())),
         std::clamp(place.y(), 0, std::max(0, parentWidget()->height() - height())));
    show();
    raise();
}

}  // namespace lowtide::ui
