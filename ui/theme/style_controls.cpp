#include "ui/theme/contrast.hpp"
#include "ui/theme/studio_style.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui {

namespace {

void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& item) {
    const WidgetState state(item);
    const QRect rect = item.rect;
    painter.fillRect(rect, themeColour("raised"));
    if (item.menuItemType == QStyleOptionMenuItem::Separator) {
        painter.fillRect(QRect(rect.x() + 8, rect.center().y(), rect.width() - 16, 1),
                         themeColour("border"));
        return;
    }
    if (state.isSelected && state.isEnabled) {
        paintBox(painter, rect, themeColour("selection"), QColor(), 4);
    }
    const QRect mark(rect.x() + 6, rect.y(), 20, rect.height());
    const char* ink = state.isEnabled ? "text" : "text.disabled";
    if (item.checked && item.checkType != QStyleOptionMenuItem::NotCheckable) {
        paintGlyph(painter, mark, "check", ink, 16);
    } else if (!item.icon.isNull()) {
        item.icon.paint(&painter,
                        QRect(mark.x() + 2, mark.center().y() - 7, 16, 16),
                        Qt::AlignCenter,
                        state.isEnabled ? QIcon::Normal : QIcon::Disabled);
    }
    const QStringList parts = item.text.split(QLatin1Char('\t'));
    painter.setFont(item.font);
    painter.setPen(themeColour(ink));
    const QRect text = rect.adjusted(32, 0, -28, 0);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextShowMnemonic, parts[0]);
    if (parts.size() > 1) {
        painter.setPen(themeColour(state.isEnabled ? "text.muted" : "text.disabled"));
        painter.drawText(rect.adjusted(32, 0, -12, 0), Qt::AlignVCenter | Qt::AlignRight, parts[1]);
    }
    if (item.menuItemType == QStyleOptionMenuItem::SubMenu) {
        paintGlyph(painter,
                   QRect(rect.right() - 22, rect.y(), 20, rect.height()),
                   "chevron-right",
                   ink,
                   14);
    }
}

void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& item) {
    const WidgetState state(item);
    painter.fillRect(item.rect, themeColour("surface"));
    if (state.isSelected || state.isPressed) {
        paintBox(painter,
                 item.rect.adjusted(0, 2, 0, -2),
                 themeColour(state.isPressed ? "pressed" : "hover"),
                 QColor(),
                 4);
    }
    painter.setPen(themeColour(state.isEnabled ? "text" : "text.disabled"));
    painter.drawText(item.rect, Qt::AlignCenter | Qt::TextShowMnemonic, item.text);
}

void paintTab(QPainter& painter, const QStyleOptionTab& tab) {
    const WidgetState state(tab);
    if (state.isHovered && !state.isSelected) {
        painter.fillRect(tab.rect.adjusted(0, 0, 0, -1), themeColour("hover"));
    }
    const bool isAcross =
        tab.shape == QTabBar::RoundedNorth || tab.shape == QTabBar::RoundedSouth ||
        tab.shape == QTabBar::TriangularNorth || tab.shape == QTabBar::TriangularSouth;
    if (state.isSelected) {
        QRect line = tab.rect;
        if (isAcross) {
            const bool isAbove =
                tab.shape == QTabBar::RoundedNorth || tab.shape == QTabBar::TriangularNorth;
            line = isAbove ? QRect(line.x() + 4, line.bottom() - 1, line.width() - 8, 2)
                           : QRect(line.x() + 4, line.y(), line.width() - 8, 2);
        } else {
            line.setWidth(2);
        }
        painter.fillRect(line, themeColour(state.isEnabled ? "accent" : "border"));
    }
    if (state.hasKeyboardFocus) {
        paintFocusRing(painter, tab.rect.adjusted(2, 2, -2, -3), 4);
    }
}

void paintHeader(QPainter& painter, const QStyleOption& option, bool isSection) {
    const WidgetState state(option);
    painter.fillRect(option.rect, themeColour(isSection && state.isHovered ? "hover" : "surface"));
    painter.fillRect(QRect(option.rect.x(), option.rect.bottom(), option.rect.width(), 1),
                     themeColour("border"));
    if (isSection) {
        painter.fillRect(
            QRect(option.rect.right(), option.rect.y() + 6, 1, option.rect.height() - 12),
            themeColour("border"));
    }
}

void paintProgress(QPainter& painter, const QStyleOptionProgressBar& bar) {
    const QRectF box = bar.rect;
    const bool isUnknown = bar.minimum == bar.maximum;
    const double span = std::max(1, bar.maximum - bar.minimum);
    const double share =
        isUnknown ? 1.0 : std::clamp((bar.progress - bar.minimum) / span, 0.0, 1.0);
    if (share <= 0) {
        return;
    }
    painter.save();
    QPainterPath inside;
    inside.addRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipPath(inside);
    const QRectF done(box.x(), box.y(), box.width() * share, box.height());
    painter.fillRect(done, themeColour("selection"));
    if (isUnknown) {
        painter.fillRect(done,
                         QBrush(Theme::current().softColour("accent", 0.35), Qt::BDiagPattern));
    }
    painter.fillRect(QRectF(done.x(), done.bottom() - 3, done.width(), 3), themeColour("accent"));
    painter.restore();
}

void paintSplitter(QPainter& painter, const QStyleOption& option) {
    const WidgetState state(option);
    const bool isUpright = option.state & QStyle::State_Horizontal;
    QRect line = option.rect;
    const int width = state.isHovered || state.isPressed ? 3 : 1;
    if (isUpright) {
        line = QRect(line.center().x() - width / 2, line.y(), width, line.height());
    } else {
        line = QRect(line.x(), line.center().y() - width / 2, line.width(), width);
    }
    painter.fillRect(line, themeColour(width > 1 ? "focus" : "border"));
}

void paintDockTitle(QPainter& painter, const QStyleOptionDockWidget& dock) {
    painter.fillRect(dock.rect, themeColour("surface"));
    painter.fillRect(QRect(dock.rect.x(), dock.rect.bottom(), dock.rect.width(), 1),
                     themeColour("border"));
    painter.setFont(Theme::current().font("strong"));
    painter.setPen(themeColour("text"));
    const int buttons = (dock.closable ? 24 : 0) + (dock.floatable ? 24 : 0);
    const QRect room = dock.rect.adjusted(12, 0, -8 - buttons, 0);
    painter.drawText(room,
                     Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(dock.title, Qt::ElideRight, room.width()));
}

/// Lines and boxes of QFrame; false: it has another shape.
bool paintedFrame(QPainter& painter, const QStyleOptionFrame& frame) {
    const QRect rect = frame.rect;
    switch (frame.frameShape) {
        case QFrame::HLine:
            painter.fillRect(QRect(rect.x(), rect.center().y(), rect.width(), 1),
                             themeColour("border"));
            return true;
        case QFrame::VLine:
            painter.fillRect(QRect(rect.center().x(), rect.y(), 1, rect.height()),
                             themeColour("border"));
            return true;
        case QFrame::Box:
            paintBox(painter, rect, QColor(), themeColour("border"), 0);
            return true;
        default:
            return false;
    }
}

void paintRubberBand(QPainter& painter, const QStyleOption& option) {
    painter.fillRect(option.rect, withAlpha(themeColour("accent"), 0.15));
    paintBox(painter, option.rect, QColor(), themeColour("accent"), 0);
}

}  // namespace

void StudioStyle::drawControl(ControlElement element,
                              const QStyleOption* option,
                              QPainter* painter,
                              const QWidget* widget) const {
    switch (element) {
        case CE_MenuItem:
            return paintMenuItem(*painter, *qstyleoption_cast<const QStyleOptionMenuItem*>(option));
        case CE_MenuBarItem:
            return paintMenuBarItem(*painter,
                                    *qstyleoption_cast<const QStyleOptionMenuItem*>(option));
        case CE_MenuEmptyArea:
            return painter->fillRect(option->rect, themeColour("raised"));
        case CE_MenuBarEmptyArea:
        case CE_ToolBar:
            return painter->fillRect(option->rect, themeColour("surface"));
        case CE_TabBarTabShape:
            return paintTab(*painter, *qstyleoption_cast<const QStyleOptionTab*>(option));
        case CE_HeaderSection:
        case CE_HeaderEmptyArea:
            return paintHeader(*painter, *option, element == CE_HeaderSection);
        case CE_ProgressBarGroove:
            return paintBox(*painter, option->rect, themeColour("field"), themeColour("border"), 4);
        case CE_ProgressBarContents:
            return paintProgress(*painter,
                                 *qstyleoption_cast<const QStyleOptionProgressBar*>(option));
        case CE_ProgressBarLabel: {
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            painter->setPen(themeColour("text"));
            return painter->drawText(bar->rect, Qt::AlignCenter, bar->text);
        }
        case CE_Splitter:
            return paintSplitter(*painter, *option);
        case CE_DockWidgetTitle:
            return paintDockTitle(*painter,
                                  *qstyleoption_cast<const QStyleOptionDockWidget*>(option));
        case CE_ShapedFrame:
            if (!paintedFrame(*painter, *qstyleoption_cast<const QStyleOptionFrame*>(option))) {
                QProxyStyle::drawControl(element, option, painter, widget);
            }
            return;
        case CE_RubberBand:
            return paintRubberBand(*painter, *option);
        case CE_PushButtonLabel: {
            auto label = *qstyleoption_cast<const QStyleOptionButton*>(option);
            if ((label.features & QStyleOptionButton::DefaultButton) &&
                (label.state & State_Enabled)) {
                label.palette.setColor(QPalette::ButtonText, themeColour("accent.text"));
            }
            return QProxyStyle::drawControl(element, &label, painter, widget);
        }
        case CE_ComboBoxLabel: {
            auto combo = *qstyleoption_cast<const QStyleOptionComboBox*>(option);
            const QRect room = subControlRect(CC_ComboBox, &combo, SC_ComboBoxEditField, widget);
            const int ofIcon = combo.currentIcon.isNull() ? 0 : combo.iconSize.width() + 4;
            combo.currentText = combo.fontMetrics.elidedText(
                combo.currentText, Qt::ElideRight, room.width() - ofIcon);
            return QProxyStyle::drawControl(element, &combo, painter, widget);
        }
        default:
            return QProxyStyle::drawControl(element, option, painter, widget);
    }
}

}  // namespace lowtide::ui
