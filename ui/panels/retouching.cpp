#include "ui/panels/retouching.hpp"

#include "ui/access/announce.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/mask_list.hpp"
#include "ui/panels/mask_tool.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

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

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kFirstPixels = 8;  ///< by which a mask grows or is softened
constexpr int kMostGrowth = 512;

QSpinBox* spinIn(QWidget* parent, const char* name, int least, int most, const QString& unit) {
    auto* spin = named(name, new QSpinBox(parent));
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

int percentOf(double fraction) {
    return static_cast<int>(std::lround(100 * fraction));
}

const QColor kGreenMask(0, 170, 60);
const QColor kBlueMask(40, 90, 255);

NamedMask namedMask(const PaintedMask& mask, const QImage& pixels) {
    return {.number = mask.number, .name = mask.name, .isShown = mask.isShown, .mask = pixels};
}

constexpr int kKeepMilliseconds = 1000;
constexpr double kFirstFraction = 0.08;  ///< of the image's shorter side, for the first brush
constexpr int kFrameZoomSteps = -2;      ///< smaller, to leave space around a frame
constexpr double kMostShown = 0.7;       ///< of the view; a smaller image has space around it

}  // namespace

MaskPanel::MaskPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("maskPanel"));
    auto* settings = new QWidget;
    columnIn(settings, 3, {3, 2, 3, 2}, {makeBrush(), makeWhole(), makeLook(), Cell::spring()});
    auto* scroll = new QScrollArea(this);  // what the mask is for remains in sight
    scroll->setWidget(settings);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(settings->minimumSizeHint().width() +
                            scroll->verticalScrollBar()->sizeHint().width());
    columnIn(this, 0, {{scroll, 1}, makeEnd()});
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
    made->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with the image
    return made;
}

QPushButton* MaskPanel::press(const QString& text, const QString& tip, const char* name) {
    QPushButton* made = makeButton(text, name, this);
    made->setToolTip(tip);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

QWidget* MaskPanel::makeBrush() {
    auto* part = new QWidget(this);
    undo_ = button("undo", tr("Undo the last change of the mask (Ctrl+Z)"), "maskUndo");
    redo_ = button("redo", tr("Redo it (Ctrl+Y)"), "maskRedo");
    QWidget* tools = makeTools();
    size_ = spinIn(part, "maskSize", int(Brush::kLeast), int(Brush::kMost), tr(" px"));
    size_->setToolTip(tr("Diameter in pixels of the image: [ and ], Ctrl+wheel, or Alt and drag"));
    hardness_ = spinIn(part, "maskHardness", 0, 100, tr(" %"));
    hardness_->setToolTip(
        tr("How far from its middle the brush covers whole: { and }, or "
           "Shift+wheel"));
    opacity_ = spinIn(part, "maskOpacity", 1, 100, tr(" %"));
    opacity_->setToolTip(tr("Most that one stroke covers; a pen's pressure lowers it"));
    tolerance_ = spinIn(part, "maskTolerance", 0, 100, tr(" %"));
    tolerance_->setToolTip(tr("How much a colour may differ from the one that Fill is pressed on"));
    QLabel* title = titleIn(part, tr("Masks"));
    masks_ = new MaskList(part);
    auto* form = new QFormLayout(part);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(rowOf(1, {{title, 1}, undo_, redo_}));
    form->addRow(masks_);
    form->addRow(tools);
    form->addRow(tr("Size"), size_);
    form->addRow(tr("Hardness"), hardness_);
    form->addRow(tr("Opacity"), opacity_);
    form->addRow(tr("Tolerance"), tolerance_);
    connect(undo_, &QToolButton::clicked, this, [this] { tool_->undo(); });
    connect(redo_, &QToolButton::clicked, this, [this] { tool_->redo(); });
    for (QSpinBox* spin : {size_, hardness_, opacity_, tolerance_}) {
        connect(spin, &QSpinBox::valueChanged, this, &MaskPanel::take);
    }
    return part;
}

QWidget* MaskPanel::makeTools() {
    auto* part = new QWidget(this);
    const auto add = [this](
                         PaintTool tool, const char* icon, const QString& tip, const char* name) {
        QToolButton* made = button(icon, tip, name);
        made->setCheckable(true);
        connect(made, &QToolButton::clicked, this, [this, tool] {
            tool_->setPaintTool(tool);
            if (tool == PaintTool::Brush) {
                tool_->setKind(StrokeKind::Paint);
            }
        });
        tools_.emplace(tool, made);
        return made;
    };
    QToolButton* brush =
        add(PaintTool::Brush, "brush", tr("Paint (B); the right button erases"), "maskBrush");
    QToolButton* rectangle =
        add(PaintTool::Rectangle,
            "rectangle",
            tr("Rectangle (R): drag; with Shift a square, with Alt or the right button it unmasks"),
            "maskRectangle");
    QToolButton* lasso =
        add(PaintTool::Lasso,
            "lasso",
            tr("Lasso (L): drag around a part, or click its corners and end with Return; with Alt "
               "or the right button it unmasks"),
            "maskLasso");
    QToolButton* fill = add(
        PaintTool::Fill,
        "fill",
        tr("Fill (G): click an area of one colour; with Alt or the right button it is unmasked"),
        "maskFlood");
    erase_ = button("eraser", tr("Erase (E); X swaps, the right button paints"), "maskEraser");
    erase_->setCheckable(true);
    connect(erase_, &QToolButton::clicked, this, [this](bool isOn) {
        tool_->setKind(isOn ? StrokeKind::Erase : StrokeKind::Paint);
    });
    rowIn(part, 1, {brush, rectangle, lasso, fill, Cell::spring(), erase_});
    return part;
}

QWidget* MaskPanel::makeWhole() {
    auto* part = new QWidget(this);
    pixels_ = spinIn(part, "maskPixels", 1, kMostGrowth, tr(" px"));
    pixels_->setValue(kFirstPixels);
    pixels_->setToolTip(tr("By how many pixels the mask grows, shrinks, or is softened"));
    QPushButton* invert = press(
        tr("Invert"), tr("What is masked is kept, what is not is regenerated (I)"), "maskInvert");
    QPushButton* fill = press(tr("Fill"), tr("Mask the whole image"), "maskFill");
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
    colour_ = named("maskColour", new QComboBox(part));
    colour_->addItem(tr("Red"), OverlayLook().colour);
    colour_->addItem(tr("Green"), kGreenMask);
    colour_->addItem(tr("Blue"), kBlueMask);
    colour_->addItem(tr("White"), QColor(255, 255, 255));
    colour_->addItem(tr("Black"), QColor(0, 0, 0));
    strength_ = spinIn(part, "maskStrength", 10, 100, tr(" %"));
    strength_->setToolTip(tr("How much of the image the mask hides on the screen"));
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
    reported_ = makeText({}, "maskTold", part, "small");
    use_ = press(tr("Use as inpaint mask"),
                 tr("The graph regenerates the masked part; every other pixel is kept (Return)"),
                 "maskUse");
    QPushButton* region = press(tr("Prompt for this part..."),
                                tr("What is masked gets a prompt of its own; a rectangle is "
                                   "denoised as an image by itself"),
                                "maskRegion");
    QPushButton* close =
        press(tr("Close"), tr("Back to the image; the mask is kept (Esc)"), "maskClose");
    columnIn(part, 2, {3, 1, 3, 3}, {reported_, use_, region, close});
    connect(region, &QPushButton::clicked, this, &MaskPanel::regionAsked);
    connect(use_, &QPushButton::clicked, this, &MaskPanel::useAsked);
    connect(close, &QPushButton::clicked, this, &MaskPanel::closeAsked);
    return part;
}

void MaskPanel::showMessage(const QString& text) {
    showText(*reported_, text);
}

void MaskPanel::setTool(MaskTool* tool) {
    tool_ = tool;
    setEnabled(tool_ != nullptr);
    showMessage({});
    if (tool_) {
        connect(tool_, &MaskTool::settingsChanged, this, &MaskPanel::show);
        connect(tool_, &MaskTool::changed, this, &MaskPanel::show);
        connect(tool_, &MaskTool::busyChanged, this, [this](bool isBusy) {
            showMessage(isBusy ? tr("Working...") : QString());
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
    const PaintTool chosen = tool_->paintTool();
    for (const auto& [tool, made] : tools_) {
        made->setChecked(tool == chosen);
    }
    erase_->setChecked(tool_->kind() == StrokeKind::Erase);
    size_->setEnabled(chosen == PaintTool::Brush);
    hardness_->setEnabled(chosen == PaintTool::Brush);
    tolerance_->setEnabled(chosen == PaintTool::Fill);
    EditSession::showUnlessTyped(*size_, static_cast<int>(std::lround(brush.diameter)));
    EditSession::showUnlessTyped(*hardness_, percentOf(brush.hardness));
    EditSession::showUnlessTyped(*opacity_, percentOf(brush.opacity));
    EditSession::showUnlessTyped(*tolerance_, percentOf(tool_->tolerance()));
    EditSession::showUnlessTyped(*strength_, percentOf(tool_->look().opacity));
    colour_->setCurrentIndex(std::max(0, colour_->findData(tool_->look().colour)));
    undo_->setEnabled(tool_->canUndo());
    redo_->setEnabled(tool_->canvas().history().canRedo());
    isShowing_ = false;
}

void MaskPanel::take() {
    if (isShowing_ || !tool_) {
        return;
    }
    const OverlayLook look{.colour = colour_->currentData().value<QColor>(),
                           .opacity = strength_->value() / 100.0};
    const double tolerance = tolerance_->value() / 100.0;
    tool_->setBrush({.diameter = double(size_->value()),
                     .hardness = hardness_->value() / 100.0,
                     .opacity = opacity_->value() / 100.0});
    tool_->setTolerance(tolerance);
    tool_->setLook(look);
}

Retouching::Retouching(ImageView& view, QObject* parent)
    : QObject(parent),
      view_(view),
      maskPanel_(new MaskPanel(nullptr)),
      framePanel_(new FramePanel(nullptr)) {
    brush_.diameter = 0;
    keep_.setSingleShot(true);
    keep_.setInterval(kKeepMilliseconds);
    connect(&keep_, &QTimer::timeout, this, &Retouching::keepNow);
    connect(maskPanel_, &MaskPanel::useAsked, this, &Retouching::useMask);
    connect(maskPanel_, &MaskPanel::regionAsked, this, &Retouching::useRegion);
    connect(maskPanel_, &MaskPanel::closeAsked, this, &Retouching::end);
    connect(framePanel_, &FramePanel::writeAsked, this, &Retouching::acceptFrame);
    connect(framePanel_, &FramePanel::closeAsked, this, &Retouching::end);
    connectMasks();
}

void Retouching::connectMasks() {
    const MaskList& list = maskPanel_->masks();
    connect(&list, &MaskList::addAsked, this, &Retouching::addMask);
    connect(&list, &MaskList::deleteAsked, this, &Retouching::deleteMask);
    connect(&list, &MaskList::chosen, this, &Retouching::choose);
    connect(&list, &MaskList::renamed, this, &Retouching::rename);
    connect(&list, &MaskList::shownAsked, this, &Retouching::setShown);
}

Retouching::~Retouching() {
    close();
    background_.finish();
}

QWidget* Retouching::maskPanel() const {
    return maskPanel_;
}

QWidget* Retouching::framePanel() const {
    return framePanel_;
}

void Retouching::setFolder(const QString& folder) {
    unfinished_ = UnfinishedMasks(folder);
    isKeeping_ = !folder.isEmpty();
}

void Retouching::setImage(const LoadedImage& image) {
    const QImage shown = image.levels.empty() ? QImage() : image.levels.front();
    const QString path = image.video ? QString() : image.path;
    const bool isSame = path.isEmpty() ? shown.cacheKey() == image_.cacheKey()
                                       : path == path_ && shown.size() == image_.size();
    if (!isSame) {
        end();
    }
    image_ = shown;
    path_ = path;
}

QString Retouching::refusal() const {
    const qint64 pixels = qint64{image_.width()} * image_.height();
    return pixels > kMostMaskPixels
               ? tr("the image has %1 x %2 pixels, more than %3 million; make it smaller first")
                     .arg(image_.width())
                     .arg(image_.height())
                     .arg(kMostMaskPixels / 1000000)
               : QString();
}

void Retouching::begin(Work work, const QString& ofKept) {
    if (work == work_ || (work != Work::None && (image_.isNull() || !refusal().isEmpty()))) {
        return;
    }
    if (work != Work::None && path_.isEmpty()) {
        Q_EMIT fileWanted(image_, work);
        return;
    }
    close();
    work_ = work;
    if (work_ == Work::Mask) {
        beginMask(ofKept);
    } else if (work_ == Work::Frame) {
        beginFrame();
    }
    Q_EMIT workChanged();
}

void Retouching::close() {
    if (keep_.isActive()) {
        keepNow();
    }
    view_.setTool(nullptr);
    maskPanel_->setTool(nullptr);
    framePanel_->setTool(nullptr);
    if (mask_) {
        brush_ = mask_->brush();
        paintTool_ = mask_->paintTool();
        tolerance_ = mask_->tolerance();
        takeCurrent();
        leave(std::exchange(mask_, nullptr));
        masks_.clear();
    }
    if (frame_) {
        std::exchange(frame_, nullptr)->deleteLater();
    }
    work_ = Work::None;
}

void Retouching::beginMask(const QString& ofKept) {
    const QSize size = image_.size();
    if (!isKeeping_) {
        paintOn({PaintedMask{.canvas = MaskCanvas(filledMask(size, 0))}});
        return;
    }
    background_.run([this, kept = unfinished_, path = path_, size, ofKept]() -> Background::Answer {
        std::vector<PaintedMask> masks;
        for (const NamedMask& mask : kept.allOf(path, size)) {
            masks.push_back({.number = mask.number,
                             .name = mask.name,
                             .isShown = mask.isShown,
                             .canvas = MaskCanvas(mask.mask)});
        }
        const bool isKept = !masks.empty();
        if (!isKept) {
            masks.push_back({.canvas = MaskCanvas(filledMask(size, 0))});
        }
        return [this, masks, isKept, path, ofKept] {
            if (work_ == Work::Mask && path == path_ && !mask_) {
                paintOn(masks);
                if (isKept) {
                    showMessage(
                        !ofKept.isEmpty() ? ofKept
                        : masks.size() > 1
                            ? tr("These masks were kept when you last painted on the image.")
                            : tr("This mask was kept when you last painted on the "
                                 "image; Clear starts over."));
                }
            }
        };
    });
}

void Retouching::paintOn(std::vector<PaintedMask> masks) {
    masks_ = std::move(masks);
    current_ = 0;
    for (PaintedMask& mask : masks_) {
        mask.colour = colourOf(mask.number);
    }
    masks_.front().isShown = true;
    mask_ = new MaskTool(view_, masks_.front().canvas, this);
    Brush brush = brush_;
    if (brush.diameter < Brush::kLeast) {
        const int side = std::min(image_.width(), image_.height());
        brush = Brush{.diameter = std::clamp(side * kFirstFraction, 4.0, Brush::kMost)};
    }
    mask_->setBrush(brush);
    mask_->setPaintTool(paintTool_);
    mask_->setTolerance(tolerance_);
    mask_->setLook({.colour = masks_.front().colour, .opacity = look_.opacity});
    maskPanel_->setTool(mask_);
    showMasks();
    view_.setTool(mask_);
    view_.setFocus(Qt::OtherFocusReason);
    connect(mask_, &MaskTool::changed, this, [this] {
        keepSoon();
        if (mask_ && !masks_[current_].isShown) {
            setShown(static_cast<int>(current_), true);
        }
    });
    connect(mask_, &MaskTool::settingsChanged, this, [this] {
        if (mask_ && (mask_->look().colour != masks_[current_].colour ||
                      mask_->look().opacity != look_.opacity)) {
            takeCurrent();
            showMasks();
        }
    });
    connect(mask_, &MaskTool::accepted, this, &Retouching::useMask);
    connect(mask_, &MaskTool::closeAsked, this, &Retouching::end);
}

void Retouching::beginFrame() {
    frame_ = new FrameTool(view_, this);
    framePanel_->setTool(frame_);
    view_.fit();
    const QSizeF shown = QSizeF(image_.size()) * view_.zoom() / view_.devicePixelRatioF();
    if (shown.width() > kMostShown * view_.width() ||
        shown.height() > kMostShown * view_.height()) {
        view_.zoomBy(kFrameZoomSteps);
    }
    view_.setTool(frame_);
    view_.setFocus(Qt::OtherFocusReason);
    connect(frame_, &FrameTool::accepted, this, &Retouching::acceptFrame);
    connect(frame_, &FrameTool::closeAsked, this, &Retouching::end);
}

void Retouching::showMessage(const QString& text) {
    work_ == Work::Frame ? framePanel_->showMessage(text) : maskPanel_->showMessage(text);
}

void Retouching::keepSoon() {
    if (isKeeping_ && !keep_.isActive()) {
        keep_.start();
    }
}

void Retouching::keepNow() {
    keep_.stop();
    if (mask_) {
        keepMask(current_);
    }
}

void Retouching::keepMask(size_t index) {
    const MaskCanvas& canvas = index == current_ ? mask_->canvas() : masks_[index].canvas;
    keep(path_, namedMask(masks_[index], canvas.mask()));
}

void Retouching::keep(const QString& path, const NamedMask& mask) {
    if (!isKeeping_) {
        return;
    }
    background_.run([this, kept = unfinished_, path, mask]() -> Background::Answer {
        const QString problem = kept.keep(path, mask);
        if (problem.isEmpty()) {
            return {};
        }
        return [this, problem] {
            showMessage(
                tr("The mask cannot be kept for later: %1. Use it before you leave the image.")
                    .arg(problem));
        };
    });
}

/// The tool may be what asked for it; what it is making is kept before it goes.
void Retouching::leave(MaskTool* tool) {
    if (!tool->isBusy()) {
        tool->deleteLater();
        return;
    }
    connect(tool,
            &MaskTool::busyChanged,
            this,
            [this, tool, path = path_, mask = namedMask(masks_[current_], {})](bool isBusy) {
                if (!isBusy) {
                    NamedMask done = mask;
                    done.mask = tool->canvas().mask();
                    keep(path, done);
                    tool->deleteLater();
                }
            });
}

QString Retouching::nameOf(const PaintedMask& mask) {
    return mask.name.isEmpty() ? tr("Mask %1").arg(mask.number) : mask.name;
}

/// The first has the colour that the user chose last for a first one.
QColor Retouching::colourOf(int number) const {
    const QColor colours[] = {
        number == 1 ? look_.colour : OverlayLook().colour, kGreenMask, kBlueMask};
    return colours[static_cast<size_t>(number - 1) % std::size(colours)];
}

void Retouching::takeCurrent() {
    PaintedMask& mask = masks_[current_];
    mask.canvas = mask_->canvas();
    mask.colour = mask_->look().colour;
    look_.opacity = mask_->look().opacity;
    if (mask.number == 1) {
        look_.colour = mask.colour;
    }
}

void Retouching::showCurrent() {
    const PaintedMask& mask = masks_[current_];
    OverlayLook look = mask_->look();
    look.colour = mask.colour;
    mask_->setLook(look);
    mask_->setCanvas(mask.canvas);
    showMasks();
}

void Retouching::showMasks() {
    if (!mask_) {
        return;
    }
    std::vector<MaskRow> rows;
    std::vector<OtherMask> others;
    for (size_t i = 0; i < masks_.size(); ++i) {
        const PaintedMask& mask = masks_[i];
        rows.push_back({.name = nameOf(mask), .colour = mask.colour, .isShown = mask.isShown});
        if (i != current_ && mask.isShown) {
            others.push_back({.levels = mask.canvas.levels(),
                              .look = {.colour = mask.colour, .opacity = look_.opacity}});
        }
    }
    mask_->setShown(std::move(others), masks_[current_].isShown);
    maskPanel_->masks().showMasks(rows, static_cast<int>(current_), masks_.size() < kMostMasks);
}

/// While the whole mask is being changed, the one that is painted remains it.
void Retouching::choose(int row) {
    const auto index = static_cast<size_t>(row);
    if (!mask_ || mask_->isBusy() || index >= masks_.size()) {
        QMetaObject::invokeMethod(this, &Retouching::showMasks, Qt::QueuedConnection);
        return;
    }
    if (index == current_) {
        return;
    }
    if (keep_.isActive()) {
        keepNow();
    }
    takeCurrent();
    current_ = index;
    masks_[current_].isShown = true;
    showCurrent();
}

void Retouching::addMask() {
    if (!mask_ || masks_.size() >= kMostMasks) {
        return;
    }
    background_.run([this, size = image_.size(), path = path_]() -> Background::Answer {
        return [this, path, canvas = MaskCanvas(filledMask(size, 0))] {
            if (!mask_ || mask_->isBusy() || path != path_ || masks_.size() >= kMostMasks) {
                return;
            }
            int number = 1;
            while (std::ranges::count(masks_, number, &PaintedMask::number) > 0) {
                ++number;
            }
            insertMask(masks_.size(),
                       {.number = number, .colour = colourOf(number), .canvas = canvas});
        };
    });
}

void Retouching::insertMask(size_t index, const PaintedMask& mask) {
    if (keep_.isActive()) {
        keepNow();
    }
    takeCurrent();
    masks_.insert(masks_.begin() + static_cast<std::ptrdiff_t>(index), mask);
    current_ = index;
    showCurrent();
    mask_->offerUndo({});  // a deleted one may have had its number
    keepSoon();
    announce(view_, tr("%1 is painted").arg(nameOf(mask)));
}

/// Undo brings it back, and those that were deleted before it, until a mask changes or is added.
void Retouching::deleteMask() {
    if (!mask_ || mask_->isBusy() || masks_.size() < 2) {
        return;
    }
    keep_.stop();
    takeCurrent();
    const size_t index = current_;
    const PaintedMask gone = masks_[index];
    if (isKeeping_) {
        background_.run([kept = unfinished_, path = path_, size = image_.size(), gone] {
            kept.forget(path, size, gone.number);
            return Background::Answer();
        });
    }
    masks_.erase(masks_.begin() + static_cast<std::ptrdiff_t>(index));
    current_ = std::min(index, masks_.size() - 1);
    showCurrent();
    mask_->offerUndo([this, index, gone, earlier = mask_->offeredUndo()] {
        insertMask(index, gone);
        mask_->offerUndo(earlier);
    });
    showMessage(tr("“%1” is deleted; Undo brings it back.").arg(nameOf(gone)));
}

void Retouching::rename(int row, const QString& name) {
    const auto index = static_cast<size_t>(row);
    if (mask_ && index < masks_.size()) {
        if (!name.isEmpty()) {
            masks_[index].name = name;
            keepMask(index);
        }
        QMetaObject::invokeMethod(this, &Retouching::showMasks, Qt::QueuedConnection);
    }
}

void Retouching::setShown(int row, bool isShown) {
    const auto index = static_cast<size_t>(row);
    if (mask_ && index < masks_.size()) {
        masks_[index].isShown = isShown;
        keepMask(index);
        showMasks();
    }
}

void Retouching::useMask() {
    if (!mask_ || mask_->isBusy()) {
        return;
    }
    if (isBlank(mask_->canvas().mask())) {
        showMessage(tr("Nothing is masked yet: paint over what is to be regenerated."));
        return;
    }
    Q_EMIT maskUsed(path_, mask_->canvas().mask());
}

void Retouching::useRegion() {
    if (!mask_ || mask_->isBusy()) {
        return;
    }
    const QImage& mask = mask_->canvas().mask();
    if (const QRect rect = maskedRect(mask); rect.isNull()) {
        showMessage(tr("Nothing is masked yet: draw a rectangle around the part."));
    } else {
        Q_EMIT regionWanted(masks_[current_].name, rect, mask);
    }
}

void Retouching::acceptFrame() {
    if (frame_ && !frame_->frame().isWhole()) {
        showMessage(tr("Writing..."));
        Q_EMIT frameAccepted(image_, frame_->frame().rect(), framePanel_->overlap());
    }
}

}  // namespace lowtide::ui
