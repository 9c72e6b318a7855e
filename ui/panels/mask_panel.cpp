#include "ui/panels/mask_panel.hpp"

#include "ui/editors/edit_session.hpp"
#include "ui/panels/mask_tool.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kFirstPixels = 8;  ///< by which a mask grows or is softened
constexpr int kMostGrowth = 512;

QSpinBox* spinIn(QWidget* parent, const char* name, int least, int most, const QString& unit) {
    auto* spin = new QSpinBox(parent);
    spin->setObjectName(QLatin1String(name));
    spin->setRange(least, most);
    spin->setSuffix(unit);
    spin->setKeyboardTracking(false);
    return spin;
}

QLabel* titleIn(QWidget* parent, const QString& text) {
    auto* title = new QLabel(text, parent);
    title->setFont(Theme::current().font("strong"));
    return title;
}

int percentOf(double share) {
    return static_cast<int>(std::lround(100 * share));
}

}  // namespace

MaskPanel::MaskPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("maskPanel"));
    auto* settings = new QWidget;
    auto* rows = new QVBoxLayout(settings);
    rows->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(2));
    rows->setSpacing(Theme::space(3));
    rows->addWidget(makeBrush());
    rows->addWidget(makeWhole());
    rows->addWidget(makeLook());
    rows->addStretch(1);
    auto* scroll = new QScrollArea(this);  // what the mask is for stays in sight
    scroll->setWidget(settings);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(settings->minimumSizeHint().width() +
                            scroll->verticalScrollBar()->sizeHint().width());
    QWidget* end = makeEnd();
    end->layout()->setContentsMargins(
        Theme::space(3), Theme::space(1), Theme::space(3), Theme::space(3));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(scroll, 1);
    column->addWidget(end);
    setTool(nullptr);
}

bool MaskPanel::event(QEvent* event) {
    const bool isKey =
        event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (isKey && tool_ != nullptr &&
        static_cast<QKeyEvent*>(event)->modifiers().testFlag(Qt::ControlModifier) &&
        tool_->take(*event)) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

QToolButton* MaskPanel::button(const char* icon, const QString& text, const char* name) {
    QToolButton* made = makeIconButton(icon, text, name, this);
    made->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with the picture
    return made;
}

QPushButton* MaskPanel::press(const QString& text, const QString& tip, const char* name) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QLatin1String(name));
    made->setToolTip(tip);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

QWidget* MaskPanel::makeBrush() {
    auto* part = new QWidget(this);
    paint_ = button("brush", tr("Paint (B); X swaps, the right button erases"), "maskBrush");
    erase_ = button("eraser", tr("Erase (E); X swaps, the right button paints"), "maskEraser");
    undo_ = button("undo", tr("Undo the last change of the mask (Ctrl+Z)"), "maskUndo");
    redo_ = button("redo", tr("Redo it (Ctrl+Y)"), "maskRedo");
    for (QToolButton* each : {paint_, erase_}) {
        each->setCheckable(true);
    }
    size_ = spinIn(part, "maskSize", int(Brush::kLeast), int(Brush::kMost), tr(" px"));
    size_->setToolTip(
        tr("Diameter in pixels of the picture: [ and ], Ctrl+wheel, or Alt and drag"));
    hardness_ = spinIn(part, "maskHardness", 0, 100, tr(" %"));
    hardness_->setToolTip(
        tr("How far from its middle the brush covers whole: { and }, or "
           "Shift+wheel"));
    opacity_ = spinIn(part, "maskOpacity", 1, 100, tr(" %"));
    opacity_->setToolTip(tr("Most that one stroke covers; a pen's pressure lowers it"));
    auto* tools = new QHBoxLayout;
    tools->setSpacing(Theme::space(1));
    tools->addWidget(titleIn(part, tr("Mask")), 1);
    for (QToolButton* each : {paint_, erase_, undo_, redo_}) {
        tools->addWidget(each);
    }
    auto* form = new QFormLayout(part);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(tools);
    form->addRow(tr("Size"), size_);
    form->addRow(tr("Hardness"), hardness_);
    form->addRow(tr("Opacity"), opacity_);
    connect(paint_, &QToolButton::clicked, this, [this] { tool_->setKind(StrokeKind::Paint); });
    connect(erase_, &QToolButton::clicked, this, [this] { tool_->setKind(StrokeKind::Erase); });
    connect(undo_, &QToolButton::clicked, this, [this] { tool_->undo(); });
    connect(redo_, &QToolButton::clicked, this, [this] { tool_->redo(); });
    for (QSpinBox* spin : {size_, hardness_, opacity_}) {
        connect(spin, &QSpinBox::valueChanged, this, &MaskPanel::take);
    }
    return part;
}

QWidget* MaskPanel::makeWhole() {
    auto* part = new QWidget(this);
    pixels_ = spinIn(part, "maskPixels", 1, kMostGrowth, tr(" px"));
    pixels_->setValue(kFirstPixels);
    pixels_->setToolTip(tr("By how many pixels the mask grows, shrinks, or is softened"));
    QPushButton* invert =
        press(tr("Invert"), tr("What is masked stays, what is not is made anew (I)"), "maskInvert");
    QPushButton* fill = press(tr("Fill"), tr("Mask the whole picture"), "maskFill");
    QPushButton* clear = press(tr("Clear"), tr("Mask nothing (Del)"), "maskClear");
    QPushButton* grow = press(tr("Grow"), tr("Make the mask larger all around"), "maskGrow");
    QPushButton* shrink = press(tr("Shrink"), tr("Make the mask smaller all around"), "maskShrink");
    QPushButton* feather =
        press(tr("Feather"),
              tr("Soften the edge: a Gaussian blur with that standard deviation"),
              "maskFeather");
    auto* grid = new QGridLayout(part);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(Theme::space(2));
    grid->addWidget(titleIn(part, tr("Whole mask")), 0, 0, 1, 3);
    grid->addWidget(invert, 1, 0);
    grid->addWidget(fill, 1, 1);
    grid->addWidget(clear, 1, 2);
    grid->addWidget(grow, 2, 0);
    grid->addWidget(shrink, 2, 1);
    grid->addWidget(feather, 2, 2);
    auto* by = new QLabel(tr("By"), part);
    by->setBuddy(pixels_);
    grid->addWidget(by, 3, 0);
    grid->addWidget(pixels_, 3, 1, 1, 2);
    connect(invert, &QPushButton::clicked, this, [this] { tool_->invert(); });
    connect(fill, &QPushButton::clicked, this, [this] { tool_->fill(255); });
    connect(clear, &QPushButton::clicked, this, [this] { tool_->fill(0); });
    connect(grow, &QPushButton::clicked, this, [this] { tool_->grow(pixels_->value()); });
    connect(shrink, &QPushButton::clicked, this, [this] { tool_->grow(-pixels_->value()); });
    connect(feather, &QPushButton::clicked, this, [this] { tool_->feather(pixels_->value()); });
    return part;
}

QWidget* MaskPanel::makeLook() {
    auto* part = new QWidget(this);
    colour_ = new QComboBox(part);
    colour_->setObjectName(QStringLiteral("maskColour"));
    colour_->addItem(tr("Red"), OverlayLook().colour);
    colour_->addItem(tr("Green"), QColor(0, 170, 60));
    colour_->addItem(tr("Blue"), QColor(40, 90, 255));
    colour_->addItem(tr("White"), QColor(255, 255, 255));
    colour_->addItem(tr("Black"), QColor(0, 0, 0));
    strength_ = spinIn(part, "maskStrength", 10, 100, tr(" %"));
    strength_->setToolTip(tr("How much of the picture the mask hides on the screen"));
    auto* form = new QFormLayout(part);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(titleIn(part, tr("Shown as")));
    form->addRow(tr("Colour"), colour_);
    form->addRow(tr("Strength"), strength_);
    connect(colour_, &QComboBox::activated, this, &MaskPanel::take);
    connect(strength_, &QSpinBox::valueChanged, this, &MaskPanel::take);
    return part;
}

QWidget* MaskPanel::makeEnd() {
    auto* part = new QWidget(this);
    told_ = new QLabel(part);
    told_->setObjectName(QStringLiteral("maskTold"));
    told_->setWordWrap(true);
    told_->setFont(Theme::current().font("small"));
    use_ = press(tr("Use as inpaint mask"),
                 tr("The graph makes the masked part anew; every other pixel stays (Return)"),
                 "maskUse");
    use_->setDefault(true);
    QPushButton* close =
        press(tr("Close"), tr("Back to the picture; the mask is kept (Esc)"), "maskClose");
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    column->addWidget(told_);
    column->addWidget(use_);
    column->addWidget(close);
    connect(use_, &QPushButton::clicked, this, &MaskPanel::useAsked);
    connect(close, &QPushButton::clicked, this, &MaskPanel::closeAsked);
    return part;
}

void MaskPanel::tell(const QString& text) {
    told_->setText(text);
    told_->setVisible(!text.isEmpty());
}

void MaskPanel::setTool(MaskTool* tool) {
    tool_ = tool;
    setEnabled(tool_ != nullptr);
    tell({});
    if (tool_) {
        connect(tool_, &MaskTool::settingsChanged, this, &MaskPanel::show);
        connect(tool_, &MaskTool::changed, this, &MaskPanel::show);
        connect(tool_, &MaskTool::busyChanged, this, [this](bool isBusy) {
            tell(isBusy ? tr("Working...") : QString());
        });
        show();
    }
}

void MaskPanel::show() {
    if (!tool_) {
        return;
    }
    isShowing_ = true;
    const Brush& brush = tool_->brush();
    paint_->setChecked(tool_->kind() == StrokeKind::Paint);
    erase_->setChecked(tool_->kind() == StrokeKind::Erase);
    EditSession::showUnlessTyped(*size_, static_cast<int>(std::lround(brush.diameter)));
    EditSession::showUnlessTyped(*hardness_, percentOf(brush.hardness));
    EditSession::showUnlessTyped(*opacity_, percentOf(brush.opacity));
    EditSession::showUnlessTyped(*strength_, percentOf(tool_->look().opacity));
    colour_->setCurrentIndex(std::max(0, colour_->findData(tool_->look().colour)));
    undo_->setEnabled(tool_->canvas().history().canUndo());
    redo_->setEnabled(tool_->canvas().history().canRedo());
    isShowing_ = false;
}

void MaskPanel::take() {
    if (isShowing_ || !tool_) {
        return;
    }
    const OverlayLook look{.colour = colour_->currentData().value<QColor>(),
                           .opacity = strength_->value() / 100.0};
    tool_->setBrush({.diameter = double(size_->value()),
                     .hardness = hardness_->value() / 100.0,
                     .opacity = opacity_->value() / 100.0});
    tool_->setLook(look);
}

}  // namespace lowtide::ui
