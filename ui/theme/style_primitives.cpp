#include "ui/theme/studio_style.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui {

namespace {

constexpr double kRadius = 4;

bool isDefault(const QStyleOption& option) {
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
    return button && (button->features & QStyleOptionButton::DefaultButton);
}

void paintPushButton(QPainter& painter, const QStyleOption& option) {
    const WidgetState state(option);
    if (isDefault(option) && state.isEnabled) {
        const char* ground = state.isPressed   ? "accent.pressed"
                             : state.isHovered ? "accent.hover"
                                               : "accent";
        paintBox(painter, option.rect, themeColour(ground), QColor(), kRadius);
        if (state.hasKeyboardFocus) {
            // The ring would be lost in the accent: a line of the label's colour sets it off.
            paintFocusRing(painter, option.rect, kRadius);
            const QRect inside = option.rect.adjusted(2, 2, -2, -2);
            paintBox(painter, inside, QColor(), themeColour("accent.text"), kRadius - 1);
        }
        return;
    }
    const char* ground = !state.isEnabled                ? "surface"
                         : state.isPressed || state.isOn ? "pressed"
                         : state.isHovered               ? "hover"
                                                         : "raised";
    paintBox(painter,
             option.rect,
             themeColour(ground),
             themeColour(state.isEnabled ? "border.strong" : "border"),
             kRadius);
    if (state.hasKeyboardFocus) {
        paintFocusRing(painter, option.rect, kRadius);
    }
}

void paintToolButton(QPainter& painter, const QStyleOption& option) {
    const WidgetState state(option);
    const bool isFramed = !(option.state & QStyle::State_AutoRaise);
    if (isFramed) {
        return paintPushButton(painter, option);
    }
    if (state.isOn && state.isEnabled) {
        paintBox(painter, option.rect, themeColour("selection"), QColor(), kRadius);
    } else if (state.isPressed || state.isHovered) {
        paintBox(painter,
                 option.rect,
                 themeColour(state.isPressed ? "pressed" : "hover"),
                 QColor(),
                 kRadius);
    }
}

/// Check mark, dash or nothing in a box; a dot in a circle.
void paintIndicator(QPainter& painter, const QStyleOption& option, bool isRound) {
    const WidgetState state(option);
    const bool isPartly = option.state & QStyle::State_NoChange;
    QRectF box(0, 0, 16, 16);
    box.moveCenter(QRectF(option.rect).center());
    box.moveTopLeft(box.topLeft().toPoint());
    const bool isFilled = (state.isOn || isPartly) && state.isEnabled;
    const QColor ground = themeColour(isFilled ? (state.isHovered ? "accent.hover" : "accent")
                                      : !state.isEnabled ? "surface"
                                      : state.isHovered  ? "hover"
                                                         : "field");
    const QColor line =
        isFilled ? QColor() : themeColour(state.isEnabled ? "border.strong" : "border");
    paintBox(painter, box, ground, line, isRound ? 8 : 3);
    const char* ink = state.isEnabled ? "accent.text" : "text.disabled";
    if (isRound && state.isOn) {
        paintBox(painter, box.adjusted(5, 5, -5, -5), themeColour(ink), QColor(), 3);
    } else if (state.isOn || isPartly) {
        paintGlyph(painter, box, isPartly ? "minus" : "check", ink, 12);
    }
}

void paintItem(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const WidgetState state(option);
    if (state.isSelected) {
        const bool isActive = (option.state & QStyle::State_Active) || !widget;
        painter.fillRect(option.rect, themeColour(isActive ? "selection" : "hover"));
        if (Theme::current().isHighContrast()) {  // a ground alone tells too little
            paintFocusRing(painter, option.rect, 0);
        }
    } else if (state.isHovered) {
        painter.fillRect(option.rect, themeColour("hover"));
    } else if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&option)) {
        painter.fillRect(option.rect, item->backgroundBrush);
    }
}

void paintBranch(QPainter& painter, const QStyleOption& option) {
    if (option.state & QStyle::State_Children) {
        paintGlyph(painter,
                   option.rect,
                   option.state & QStyle::State_Open ? "chevron-down" : "chevron-right",
                   "text.muted",
                   14);
    }
}

const char* glyphOf(QStyle::PrimitiveElement element, const QStyleOption& option) {
    switch (element) {
        case QStyle::PE_IndicatorArrowUp:
        case QStyle::PE_IndicatorSpinUp:
            return "chevron-up";
        case QStyle::PE_IndicatorArrowDown:
        case QStyle::PE_IndicatorSpinDown:
            return "chevron-down";
        case QStyle::PE_IndicatorArrowLeft:
            return "chevron-left";
        case QStyle::PE_IndicatorArrowRight:
            return "chevron-right";
        case QStyle::PE_IndicatorTabClose:
            return "close";
        case QStyle::PE_IndicatorHeaderArrow: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option);
            return header && header->sortIndicator == QStyleOptionHeader::SortUp ? "chevron-up"
                                                                                 : "chevron-down";
        }
        default:
            return nullptr;
    }
}

/// Frames, grounds and lines; false: the base style paints it.
bool paintedGround(QStyle::PrimitiveElement element,
                   const QStyleOption& option,
                   QPainter& painter) {
    switch (element) {
        case QStyle::PE_FrameDefaultButton:
        case QStyle::PE_IndicatorButtonDropDown:
        case QStyle::PE_FrameStatusBarItem:
        case QStyle::PE_PanelStatusBar:
        case QStyle::PE_FrameDockWidget:
        case QStyle::PE_IndicatorToolBarHandle:
        case QStyle::PE_PanelItemViewRow:
            return true;
        case QStyle::PE_FrameWindow:
            paintBox(painter, option.rect, QColor(), themeColour("border"), 0);
            return true;
        case QStyle::PE_FrameGroupBox:
            paintBox(painter, option.rect, QColor(), themeColour("border"), kRadius);
            return true;
        case QStyle::PE_PanelMenu:
        case QStyle::PE_FrameMenu:
            paintBox(painter,
                     option.rect,
                     element == QStyle::PE_PanelMenu ? themeColour("raised") : QColor(),
                     themeColour("border.strong"),
                     0);
            return true;
        case QStyle::PE_FrameTabWidget:
        case QStyle::PE_FrameTabBarBase:
            painter.fillRect(QRect(option.rect.topLeft(), QSize(option.rect.width(), 1)),
                             themeColour("border"));
            return true;
        case QStyle::PE_PanelTipLabel:
            painter.fillRect(option.rect, themeColour("tooltip"));
            return true;
        case QStyle::PE_IndicatorToolBarSeparator:
            painter.fillRect(
                QRectF(option.rect.center().x(), option.rect.y() + 6, 1, option.rect.height() - 12),
                themeColour("border"));
            return true;
        default:
            return false;
    }
}

}  // namespace

void StudioStyle::drawPrimitive(PrimitiveElement element,
                                const QStyleOption* option,
                                QPainter* painter,
                                const QWidget* widget) const {
    WidgetState state(*option);
    state.isWrong = widget && widget->property("problem").toBool();
    if (const char* glyph = glyphOf(element, *option)) {
        return paintGlyph(
            *painter, option->rect, glyph, state.isEnabled ? "text.muted" : "text.disabled", 14);
    }
    switch (element) {
        case PE_PanelButtonCommand:
            return paintPushButton(*painter, *option);
        case PE_PanelButtonTool:
            return paintToolButton(*painter, *option);
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck:
            return paintIndicator(*painter, *option, false);
        case PE_IndicatorRadioButton:
            return paintIndicator(*painter, *option, true);
        case PE_PanelItemViewItem:
            return paintItem(*painter, *option, widget);
        case PE_IndicatorBranch:
            return paintBranch(*painter, *option);
        case PE_Frame:
            if (qobject_cast<const QPlainTextEdit*>(widget) ||
                qobject_cast<const QTextEdit*>(widget)) {
                return paintField(*painter, option->rect, state);
            }
            return paintBox(*painter, option->rect, QColor(), themeColour("border"), 0);
        case PE_FrameFocusRect:
            return paintFocusRing(*painter, option->rect, kRadius);
        case PE_PanelLineEdit:
        case PE_FrameLineEdit: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && frame->lineWidth > 0) {
                paintField(*painter, option->rect, state);
            }
            return;
        }
        default:
            if (!paintedGround(element, *option, *painter)) {
                QProxyStyle::drawPrimitive(element, option, painter, widget);
            }
    }
}

}  // namespace lowtide::ui
