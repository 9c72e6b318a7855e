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
    const double fraction =
        isUnknown ? 1.0 : std::clamp((bar.progress - bar.minimum) / span, 0.0, 1.0);
    if (fraction <= 0) {
        return;
    }
    painter.save();
    QPainterPath inside;
    inside.addRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipPath(inside);
    const QRectF done(box.x(), box.y(), box.width() * fraction, box.height());
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
    const QRect area = dock.rect.adjusted(12, 0, -8 - buttons, 0);
    painter.drawText(area,
                     Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(dock.title, Qt::ElideRight, area.width()));
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

constexpr int kArrowWidth = 24;        ///< of combo boxes
constexpr int kSpinButtonsWidth = 20;  ///< of the two buttons of a spin box

void paintComboBox(QPainter& painter, const QStyleOptionComboBox& combo, const QWidget* widget) {
    WidgetState state(combo);
    state.isWrong = widget && widget->property("problem").toBool();
    if (combo.frame) {
        paintField(painter, combo.rect, state);
    }
    const QRect arrow(
        combo.rect.right() - kArrowWidth + 1, combo.rect.y(), kArrowWidth, combo.rect.height());
    paintGlyph(
        painter, arrow, "chevron-down", state.isEnabled ? "text.muted" : "text.disabled", 14);
}

void paintSpinBox(QPainter& painter,
                  const QStyleOptionSpinBox& spin,
                  const QStyle& style,
                  const QWidget* widget) {
    const WidgetState state(spin);
    if (spin.frame) {
        paintField(painter, spin.rect, state);
    }
    if (spin.buttonSymbols == QAbstractSpinBox::NoButtons) {
        return;
    }
    for (const QStyle::SubControl part : {QStyle::SC_SpinBoxUp, QStyle::SC_SpinBoxDown}) {
        const bool isUp = part == QStyle::SC_SpinBoxUp;
        const bool canStep = spin.stepEnabled & (isUp ? QAbstractSpinBox::StepUpEnabled
                                                      : QAbstractSpinBox::StepDownEnabled);
        const bool isActive =
            spin.activeSubControls == part && (state.isHovered || state.isPressed);
        paintGlyph(painter,
                   style.subControlRect(QStyle::CC_SpinBox, &spin, part, widget),
                   isUp ? "chevron-up" : "chevron-down",
                   !state.isEnabled || !canStep ? "text.disabled"
                   : isActive                   ? "text"
                                                : "text.muted",
                   12);
    }
}

void paintSlider(QPainter& painter,
                 const QStyleOptionSlider& slider,
                 const QStyle& style,
                 const QWidget* widget) {
    const WidgetState state(slider);
    const bool isAcross = slider.orientation == Qt::Horizontal;
    const QRectF rect = slider.rect;
    const QRectF handle =
        style.subControlRect(QStyle::CC_Slider, &slider, QStyle::SC_SliderHandle, widget);
    QRectF groove = isAcross ? QRectF(rect.x() + 2, handle.center().y() - 2, rect.width() - 4, 4)
                             : QRectF(handle.center().x() - 2, rect.y() + 2, 4, rect.height() - 4);
    paintBox(
        painter, groove, themeColour(state.isEnabled ? "border.strong" : "border"), QColor(), 2);
    QRectF done = groove;
    const bool isFromStart = slider.upsideDown == (slider.orientation == Qt::Vertical) || isAcross;
    if (isAcross) {
        slider.upsideDown ? done.setLeft(handle.center().x()) : done.setRight(handle.center().x());
    } else {
        isFromStart ? done.setTop(handle.center().y()) : done.setBottom(handle.center().y());
    }
    paintBox(painter, done, themeColour(state.isEnabled ? "accent" : "text.disabled"), QColor(), 2);
    QRectF knob(0, 0, 14, 14);
    knob.moveCenter(handle.center());
    const bool isHandle = slider.activeSubControls & QStyle::SC_SliderHandle;
    paintBox(painter,
             knob,
             themeColour(state.isHovered && isHandle ? "hover" : "raised"),
             themeColour(state.isEnabled ? "accent" : "text.disabled"),
             7);
    if (state.hasKeyboardFocus) {
        paintFocusRing(painter, knob.adjusted(-4, -4, 4, 4), 11);
    }
}

void paintScrollBar(QPainter& painter,
                    const QStyleOptionSlider& bar,
                    const QStyle& style,
                    const QWidget* widget) {
    if (bar.minimum == bar.maximum) {
        return;
    }
    const WidgetState state(bar);
    const QRectF handle =
        style.subControlRect(QStyle::CC_ScrollBar, &bar, QStyle::SC_ScrollBarSlider, widget);
    const bool isHandle = bar.activeSubControls & QStyle::SC_ScrollBarSlider;
    const bool isHeld = isHandle && (state.isHovered || state.isPressed);
    const double inset = isHeld ? 2 : 3;
    const bool isAcross = bar.orientation == Qt::Horizontal;
    const QRectF pill =
        isAcross ? handle.adjusted(2, inset, -2, -inset) : handle.adjusted(inset, 2, -inset, -2);
    paintBox(painter,
             pill,
             themeColour(isHeld ? "text.muted" : "border.strong"),
             QColor(),
             std::min(pill.width(), pill.height()) / 2);
}

void paintToolButtonParts(QPainter& painter,
                          const QStyleOptionToolButton& button,
                          const QStyle& style,
                          const QWidget* widget) {
    const WidgetState state(button);
    const bool isSplit = button.features & QStyleOptionToolButton::MenuButtonPopup;
    const bool hasMenu = button.features & QStyleOptionToolButton::HasMenu;
    QStyleOption panel = button;
    panel.rect = button.rect;
    style.drawPrimitive(QStyle::PE_PanelButtonTool, &panel, &painter, widget);
    QStyleOptionToolButton label = button;
    const bool isIconOnly =
        button.text.isEmpty() ||
        (button.toolButtonStyle == Qt::ToolButtonIconOnly && !button.icon.isNull());
    const int arrowWidth = isSplit ? 20 : hasMenu && !isIconOnly ? 18 : 0;
    label.rect = button.rect.adjusted(2, 0, -arrowWidth - 2, 0);
    if (button.toolButtonStyle != Qt::ToolButtonTextUnderIcon) {
        const bool hasSign = !button.icon.isNull() || button.arrowType != Qt::NoArrow;
        const int width = label.rect.width() - (hasSign ? button.iconSize.width() + 4 : 0);
        label.text =
            button.fontMetrics.elidedText(button.text, Qt::ElideRight, width, Qt::TextShowMnemonic);
    }
    style.drawControl(QStyle::CE_ToolButtonLabel, &label, &painter, widget);
    const char* ink = state.isEnabled ? "text.muted" : "text.disabled";
    if (arrowWidth > 0) {
        const QRect arrow(
            button.rect.right() - arrowWidth, button.rect.y(), arrowWidth, button.rect.height());
        if (isSplit) {
            painter.fillRect(QRect(arrow.x(), arrow.y() + 6, 1, arrow.height() - 12),
                             themeColour("border"));
        }
        paintGlyph(painter, arrow, "chevron-down", ink, 12);
    } else if (hasMenu && !(widget && widget->property("showsMenu").toBool())) {
        paintGlyph(painter,
                   QRect(button.rect.right() - 9, button.rect.bottom() - 9, 8, 8),
                   "chevron-down",
                   ink,
                   8);
    }
    if (state.hasKeyboardFocus) {
        paintFocusRing(painter, button.rect, 4);
    }
}

void paintGroupBox(QPainter& painter,
                   const QStyleOptionGroupBox& box,
                   const QStyle& style,
                   const QWidget* widget) {
    if ((box.subControls & QStyle::SC_GroupBoxFrame) && !(box.features & QStyleOptionFrame::Flat)) {
        const QRect frame =
            style.subControlRect(QStyle::CC_GroupBox, &box, QStyle::SC_GroupBoxFrame, widget);
        paintBox(painter, frame, QColor(), themeColour("border"), 4);
    }
    const WidgetState state(box);
    if (box.subControls & QStyle::SC_GroupBoxCheckBox) {
        QStyleOptionButton check;
        check.QStyleOption::operator=(box);
        check.rect =
            style.subControlRect(QStyle::CC_GroupBox, &box, QStyle::SC_GroupBoxCheckBox, widget);
        style.drawPrimitive(QStyle::PE_IndicatorCheckBox, &check, &painter, widget);
    }
    const QRect label =
        style.subControlRect(QStyle::CC_GroupBox, &box, QStyle::SC_GroupBoxLabel, widget);
    painter.setPen(themeColour(state.isEnabled ? "text" : "text.disabled"));
    painter.drawText(label, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextShowMnemonic, box.text);
    if (state.hasKeyboardFocus) {
        paintFocusRing(painter, label.adjusted(-3, 0, 3, 0), 4);
    }
}

/// The title stands above the frame.
QRect groupBoxRect(const QStyleOptionGroupBox& box, QStyle::SubControl part) {
    const bool hasCheck = box.subControls & QStyle::SC_GroupBoxCheckBox;
    const bool hasTitle = !box.text.isEmpty() || hasCheck;
    const int title = hasTitle ? std::max(24, box.fontMetrics.height() + 8) : 0;
    const int indent = hasCheck ? 24 : 0;
    switch (part) {
        case QStyle::SC_GroupBoxCheckBox:
            return {box.rect.x(), box.rect.y() + title / 2 - 8, 16, 16};
        case QStyle::SC_GroupBoxLabel:
            return {box.rect.x() + indent,
                    box.rect.y(),
                    box.fontMetrics.horizontalAdvance(box.text) + 4,
                    title};
        case QStyle::SC_GroupBoxContents:
            return box.rect.adjusted(1, title + 1, -1, -1);
        default:
            return box.rect.adjusted(0, title, 0, 0);
    }
}

/// The bar without arrows: the slider's range is all of it.
QRect scrollBarRect(const QStyleOptionSlider& bar, QStyle::SubControl part, int leastLength) {
    const bool isAcross = bar.orientation == Qt::Horizontal;
    const int length = isAcross ? bar.rect.width() : bar.rect.height();
    const double range = double(bar.maximum) - bar.minimum;
    const double pages = range + bar.pageStep;
    const int handle = range > 0 ? std::clamp(static_cast<int>(bar.pageStep / pages * length),
                                              std::min(leastLength, length),
                                              length)
                                 : length;
    const int start = QStyle::sliderPositionFromValue(
        bar.minimum, bar.maximum, bar.sliderPosition, length - handle, bar.upsideDown);
    const auto span = [&](int from, int to) {
        return isAcross ? QRect(bar.rect.x() + from, bar.rect.y(), to - from, bar.rect.height())
                        : QRect(bar.rect.x(), bar.rect.y() + from, bar.rect.width(), to - from);
    };
    switch (part) {
        case QStyle::SC_ScrollBarGroove:
            return bar.rect;
        case QStyle::SC_ScrollBarSlider:
            return span(start, start + handle);
        case QStyle::SC_ScrollBarSubPage:
            return span(0, start);
        case QStyle::SC_ScrollBarAddPage:
            return span(start + handle, length);
        default:
            return {};
    }
}

QRect comboBoxRect(const QStyleOptionComboBox& combo, QStyle::SubControl part) {
    switch (part) {
        case QStyle::SC_ComboBoxEditField:
            return combo.rect.adjusted(8, 2, -kArrowWidth, -2);
        case QStyle::SC_ComboBoxArrow:
            return {combo.rect.right() - kArrowWidth + 1,
                    combo.rect.y(),
                    kArrowWidth,
                    combo.rect.height()};
        default:
            return combo.rect;
    }
}

QRect spinBoxRect(const QStyleOptionSpinBox& spin, QStyle::SubControl part) {
    const int buttons = spin.buttonSymbols == QAbstractSpinBox::NoButtons ? 0 : kSpinButtonsWidth;
    const QRect inside = spin.rect.adjusted(2, 2, -2, -2);
    const int half = inside.height() / 2;
    switch (part) {
        case QStyle::SC_SpinBoxUp:
            return {inside.right() - buttons + 1, inside.y(), buttons, half};
        case QStyle::SC_SpinBoxDown:
            return {
                inside.right() - buttons + 1, inside.y() + half, buttons, inside.height() - half};
        case QStyle::SC_SpinBoxEditField:
            return inside.adjusted(4, 0, -buttons, 0);
        default:
            return spin.rect;
    }
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
        case CE_ToolButtonLabel: {
            auto label = *qstyleoption_cast<const QStyleOptionToolButton*>(option);
            if (isPrimary(widget)) {
                label.rect.adjust(kPrimaryInset, 0, -kPrimaryInset, 0);
                if (label.state & State_Enabled) {
                    label.palette.setColor(QPalette::ButtonText, themeColour("accent.text"));
                }
            }
            return QProxyStyle::drawControl(element, &label, painter, widget);
        }
        case CE_ComboBoxLabel: {
            auto combo = *qstyleoption_cast<const QStyleOptionComboBox*>(option);
            const QRect area = subControlRect(CC_ComboBox, &combo, SC_ComboBoxEditField, widget);
            const int ofIcon = combo.currentIcon.isNull() ? 0 : combo.iconSize.width() + 4;
            combo.currentText = combo.fontMetrics.elidedText(
                combo.currentText, Qt::ElideRight, area.width() - ofIcon);
            return QProxyStyle::drawControl(element, &combo, painter, widget);
        }
        default:
            return QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void StudioStyle::drawComplexControl(ComplexControl control,
                                     const QStyleOptionComplex* option,
                                     QPainter* painter,
                                     const QWidget* widget) const {
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
        paintComboBox(*painter, *combo, widget);
    } else if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
        paintSpinBox(*painter, *spin, *this, widget);
    } else if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
        paintToolButtonParts(*painter, *button, *this, widget);
    } else if (const auto* box = qstyleoption_cast<const QStyleOptionGroupBox*>(option)) {
        paintGroupBox(*painter, *box, *this, widget);
    } else if (slider && control == CC_Slider) {
        paintSlider(*painter, *slider, *this, widget);
    } else if (slider && control == CC_ScrollBar) {
        paintScrollBar(*painter, *slider, *this, widget);
    } else {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

QRect StudioStyle::subControlRect(ComplexControl control,
                                  const QStyleOptionComplex* option,
                                  SubControl part,
                                  const QWidget* widget) const {
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    QRect rect;
    if (slider && control == CC_ScrollBar) {
        rect = scrollBarRect(*slider, part, pixelMetric(PM_ScrollBarSliderMin, option, widget));
    } else if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
               combo && part != SC_ComboBoxListBoxPopup) {
        rect = comboBoxRect(*combo, part);
    } else if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
        rect = spinBoxRect(*spin, part);
    } else if (const auto* box = qstyleoption_cast<const QStyleOptionGroupBox*>(option)) {
        rect = groupBoxRect(*box, part);
    } else {
        return QProxyStyle::subControlRect(control, option, part, widget);
    }
    return visualRect(option->direction, option->rect, rect);
}

}  // namespace lowtide::ui
