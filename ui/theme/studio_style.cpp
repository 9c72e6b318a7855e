#include "ui/theme/studio_style.hpp"

#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QScrollArea>
#include <QtWidgets>

#include <map>

namespace lowtide::ui {

namespace {

const std::map<QStyle::PixelMetric, int>& metrics() {
    static const std::map<QStyle::PixelMetric, int> kMetrics = {
        {QStyle::PM_DefaultFrameWidth, 1},
        {QStyle::PM_ButtonMargin, 16},
        {QStyle::PM_ButtonDefaultIndicator, 0},
        {QStyle::PM_ButtonShiftHorizontal, 0},
        {QStyle::PM_ButtonShiftVertical, 0},
        {QStyle::PM_MenuButtonIndicator, 20},
        {QStyle::PM_ButtonIconSize, 16},
        {QStyle::PM_SmallIconSize, 16},
        {QStyle::PM_ToolBarIconSize, 16},
        {QStyle::PM_ListViewIconSize, 16},
        {QStyle::PM_TabBarIconSize, 16},
        {QStyle::PM_MessageBoxIconSize, 32},
        {QStyle::PM_IndicatorWidth, 16},
        {QStyle::PM_IndicatorHeight, 16},
        {QStyle::PM_ExclusiveIndicatorWidth, 16},
        {QStyle::PM_ExclusiveIndicatorHeight, 16},
        {QStyle::PM_CheckBoxLabelSpacing, 8},
        {QStyle::PM_RadioButtonLabelSpacing, 8},
        {QStyle::PM_ScrollBarExtent, 12},
        {QStyle::PM_ScrollBarSliderMin, 32},
        {QStyle::PM_ScrollView_ScrollBarSpacing, 0},
        {QStyle::PM_SliderThickness, 24},
        {QStyle::PM_SliderControlThickness, 16},
        {QStyle::PM_SliderLength, 16},
        {QStyle::PM_SplitterWidth, 5},
        {QStyle::PM_DockWidgetSeparatorExtent, 5},
        {QStyle::PM_DockWidgetTitleMargin, 6},
        {QStyle::PM_DockWidgetTitleBarButtonMargin, 4},
        {QStyle::PM_DockWidgetFrameWidth, 0},
        {QStyle::PM_TabBarTabHSpace, 24},
        {QStyle::PM_TabBarTabVSpace, 16},
        {QStyle::PM_TabBarTabShiftVertical, 0},
        {QStyle::PM_TabBarTabShiftHorizontal, 0},
        {QStyle::PM_TabBarTabOverlap, 0},
        {QStyle::PM_TabBarBaseOverlap, 1},
        {QStyle::PM_TabCloseIndicatorWidth, 16},
        {QStyle::PM_TabCloseIndicatorHeight, 16},
        {QStyle::PM_MenuPanelWidth, 1},
        {QStyle::PM_MenuHMargin, 4},
        {QStyle::PM_MenuVMargin, 4},
        {QStyle::PM_MenuBarPanelWidth, 0},
        {QStyle::PM_MenuBarHMargin, 4},
        {QStyle::PM_MenuBarVMargin, 2},
        {QStyle::PM_MenuBarItemSpacing, 0},
        {QStyle::PM_ToolBarItemSpacing, 4},
        {QStyle::PM_ToolBarItemMargin, 4},
        {QStyle::PM_ToolBarFrameWidth, 0},
        {QStyle::PM_ToolTipLabelFrameWidth, 6},
        {QStyle::PM_TreeViewIndentation, 20},
        {QStyle::PM_HeaderMargin, 8},
        {QStyle::PM_HeaderMarkSize, 12},
        {QStyle::PM_FocusFrameHMargin, 4},
        {QStyle::PM_LayoutLeftMargin, 12},
        {QStyle::PM_LayoutTopMargin, 12},
        {QStyle::PM_LayoutRightMargin, 12},
        {QStyle::PM_LayoutBottomMargin, 12},
        {QStyle::PM_LayoutHorizontalSpacing, 8},
        {QStyle::PM_LayoutVerticalSpacing, 8},
    };
    return kMetrics;
}

QSize atLeast(const QSize& size, int width, int height) {
    return size.expandedTo(QSize(width, height));
}

/// Whether the whole button opens a menu, so that it shows an arrow inside.
bool opensMenu(const QStyleOption& option) {
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(&option);
    return button && (button->features & QStyleOptionToolButton::HasMenu) &&
           !(button->features & QStyleOptionToolButton::MenuButtonPopup) &&
           !button->text.isEmpty() && button->toolButtonStyle != Qt::ToolButtonIconOnly;
}

constexpr double kRadius = 4;

bool isDefault(const QStyleOption& option) {
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
    return button && (button->features & QStyleOptionButton::DefaultButton);
}

void paintAccent(QPainter& painter, const QRect& rect, const WidgetState& state) {
    const char* ground = state.isPressed   ? "accent.pressed"
                         : state.isHovered ? "accent.hover"
                                           : "accent";
    paintBox(painter, rect, themeColour(ground), QColor(), kRadius);
    if (state.hasKeyboardFocus) {
        // The ring would be lost in the accent: a line of the label's colour sets it off.
        paintFocusRing(painter, rect, kRadius);
        const QRect inside = rect.adjusted(2, 2, -2, -2);
        paintBox(painter, inside, QColor(), themeColour("accent.text"), kRadius - 1);
    }
}

void paintPushButton(QPainter& painter, const QStyleOption& option) {
    const WidgetState state(option);
    if (isDefault(option) && state.isEnabled) {
        return paintAccent(painter, option.rect, state);
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

void paintToolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const WidgetState state(option);
    if (isPrimary(widget) && state.isEnabled) {
        return paintAccent(painter, option.rect, state);
    }
    const bool isFramed = !(option.state & QStyle::State_AutoRaise) || isPrimary(widget);
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
        if (Theme::current().isHighContrast()) {  // a background alone shows too little
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

StudioStyle::StudioStyle() : QProxyStyle(QStringLiteral("fusion")) {}

void StudioStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // Prompts, titles and names of files are shown as they are, in tips too: nothing is HTML.
    if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText) {
        label->setTextFormat(Qt::PlainText);
    }
    if (qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractButton*>(widget) ||
        qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
        qobject_cast<QSlider*>(widget) || qobject_cast<QScrollBar*>(widget) ||
        qobject_cast<QTabBar*>(widget) || qobject_cast<QSplitterHandle*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
    }
}

int StudioStyle::pixelMetric(PixelMetric metric,
                             const QStyleOption* option,
                             const QWidget* widget) const {
    if (metric == PM_DefaultFrameWidth &&
        (qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const QTextEdit*>(widget))) {
        return 3;  // space for rounded corners and the focus ring
    }
    const auto found = metrics().find(metric);
    return found == metrics().end() ? QProxyStyle::pixelMetric(metric, option, widget)
                                    : found->second;
}

int StudioStyle::styleHint(StyleHint hint,
                           const QStyleOption* option,
                           const QWidget* widget,
                           QStyleHintReturn* more) const {
    switch (hint) {
        case SH_EtchDisabledText:
        case SH_DitherDisabledText:
        case SH_ComboBox_Popup:
        case SH_Widget_Animate:
        case SH_DialogButtonBox_ButtonsHaveIcons:
        case SH_ScrollBar_Transient:
        case SH_ToolTipLabel_Opacity:
            return hint == SH_ToolTipLabel_Opacity ? 255 : 0;
        case SH_ItemView_ShowDecorationSelected:
        case SH_Menu_MouseTracking:
        case SH_MenuBar_MouseTracking:
        case SH_ComboBox_ListMouseTracking:
            return 1;
        case SH_Widget_Animation_Duration:
            return Themed::instance().isMotionReduced()
                       ? 0
                       : QProxyStyle::styleHint(hint, option, widget, more);
        case SH_Slider_AbsoluteSetButtons:
            return Qt::LeftButton;
        case SH_FormLayoutLabelAlignment:
            return Qt::AlignLeft | Qt::AlignVCenter;
        case SH_FormLayoutFieldGrowthPolicy:
            return QFormLayout::AllNonFixedFieldsGrow;
        case SH_TabBar_Alignment:
            return Qt::AlignLeft;
        default:
            return QProxyStyle::styleHint(hint, option, widget, more);
    }
}

QRect StudioStyle::subElementRect(SubElement element,
                                  const QStyleOption* option,
                                  const QWidget* widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    const bool isField = element == SE_LineEditContents && frame && frame->lineWidth > 0;
    return isField ? rect.adjusted(4, 0, -4, 0) : rect;
}

QSize StudioStyle::sizeFromContents(ContentsType type,
                                    const QStyleOption* option,
                                    const QSize& contents,
                                    const QWidget* widget) const {
    const int control = Theme::current().size("control");
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    switch (type) {
        case CT_PushButton:
            return QSize(std::max(size.width(), 64), control);
        case CT_LineEdit:
            return atLeast(size + QSize(8, 0), 0, control);
        case CT_SpinBox:
            return QSize(contents.width() + 36, control);
        case CT_ComboBox:
            return QSize(contents.width() + 44, std::max(contents.height() + 6, control));
        case CT_ToolButton:
            return atLeast(size + QSize(opensMenu(*option)  ? 16
                                        : isPrimary(widget) ? 2 * kPrimaryInset
                                                            : 0,
                                        0),
                           control,
                           control);
        case CT_CheckBox:
        case CT_RadioButton:
            return atLeast(size + QSize(4, 0), 0, 24);
        case CT_HeaderSection:
            return atLeast(size, 0, control);
        case CT_ItemViewItem:
            return atLeast(size + QSize(8, 0), 0, 24);
        case CT_MenuBarItem:
            return atLeast(contents + QSize(16, 8), 0, control);
        case CT_ProgressBar:
            return QSize(size.width(), 20);
        case CT_MenuItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            return item && item->menuItemType == QStyleOptionMenuItem::Separator
                       ? QSize(contents.width(), 9)
                       : QSize(contents.width() + 64, std::max(contents.height(), control));
        }
        default:
            return size;
    }
}

QIcon StudioStyle::standardIcon(StandardPixmap which,
                                const QStyleOption* option,
                                const QWidget* widget) const {
    const Theme& theme = Theme::current();
    switch (which) {
        case SP_TitleBarCloseButton:
        case SP_DockWidgetCloseButton:
        case SP_LineEditClearButton:
            return theme.icon("close", "text.muted");
        case SP_TitleBarNormalButton:
            return theme.icon("expand", "text.muted");
        case SP_MessageBoxInformation:
            return theme.icon("info", "info");
        case SP_MessageBoxWarning:
            return theme.icon("warning", "warning");
        case SP_MessageBoxCritical:
            return theme.icon("error", "error");
        case SP_MessageBoxQuestion:
            return theme.icon("help", "info");
        case SP_ToolBarHorizontalExtensionButton:
            return theme.icon("more");
        case SP_DirIcon:
            return theme.icon("folder", "text.muted");
        case SP_FileIcon:
            return theme.icon("file", "text.muted");
        default:
            return QProxyStyle::standardIcon(which, option, widget);
    }
}

FocusRing::FocusRing(QWidget* home) : QWidget(home), home_(home) {
    setObjectName(QStringLiteral("focusRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    connect(
        qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* focus) {
    if (area_ != nullptr) {
        area_->removeEventFilter(this);
    }
    area_ = qobject_cast<QScrollArea*>(focus);
    if (area_ == nullptr) {
        hide();
        setParent(home_);  // the area may go
        return;
    }
    area_->installEventFilter(this);
    setParent(area_);
    setGeometry(area_->rect());
    raise();
    show();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    if (watched == area_ && event->type() == QEvent::Resize) {
        setGeometry(area_->rect());
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintFocusRing(painter, rect(), 0);
}

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
            return paintToolButton(*painter, *option, widget);
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
