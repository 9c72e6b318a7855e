#include "ui/panels/viewer.hpp"

#include "plugin/video/video_file.hpp"
#include "ui/panels/image_facts.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/panels/playback.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>

#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kEmptyPage = 0;
constexpr int kImagePage = 1;
constexpr int kProblemPage = 2;
constexpr int kImageWidth = 640;
constexpr int kFactsWidth = 260;
constexpr int kListLetters = 14;        ///< of the list of images; its tooltip shows the rest
constexpr qsizetype kMostListed = 100;  ///< more are stepped through alone

}  // namespace

Viewer::Viewer(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("viewer"));
    setAcceptDrops(true);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(makePane());
    facts_ = new FactsPanel(this);
    connect(facts_, &FactsPanel::useAsked, this, &Viewer::valuesAsked);
    splitter->addWidget(facts_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kImageWidth, kFactsWidth});
    splitter->setChildrenCollapsible(true);
    makeBar();
    below_ = new QWidget(this);
    columnIn(below_, 0, {});
    columnIn(this, 0, {bar_, {splitter, 1}, below_});
    makeRetouching(*splitter);
    connect(view_, &ImageView::zoomChanged, this, &Viewer::showZoom);
    connect(view_, &ImageView::doubleClicked, this, [this] {
        if (retouching_->work() == Retouching::Work::None) {
            Q_EMIT aloneAsked(!isAlone_);
        }
    });
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(view_, &QWidget::customContextMenuRequested, this, [this](const QPoint& point) {
        if (retouching_->work() == Retouching::Work::None) {  // else the right button paints
            popupMenu(view_->mapToGlobal(point));
        }
    });
    connect(frames_, &FramesInStep::shown, this, &Viewer::showFrame);
    connect(frames_, &FramesInStep::failed, this, &Viewer::showProblem);
    connect(frameBar_, &FrameBar::frameWanted, frames_, &FramesInStep::want);
    fillFiles();
    present({}, {});
}

Viewer::~Viewer() {
    loading_.cancel(CancelMode::Now);
}

/// What is shown, and below it the bar of a video.
QWidget* Viewer::makePane() {
    auto* pane = new QWidget(this);
    view_ = new ImageView(pane);
    problem_ = makeText({}, "viewerProblem", pane);
    problem_->setAlignment(Qt::AlignCenter);
    problem_->setMargin(Theme::space(6));
    pages_ = new QStackedWidget(pane);
    pages_->addWidget(makeEmptyState({.icon = "image",
                                      .title = tr("No image yet"),
                                      .text = tr("Run the graph, click the image of a node, or "
                                                 "drop an image or a video here.")},
                                     pages_));
    pages_->addWidget(view_);
    pages_->addWidget(problem_);
    frames_ = new FramesInStep(this);
    frameBar_ = new FrameBar(pane);
    columnIn(pane, 0, {{pages_, 1}, frameBar_});
    return pane;
}

void Viewer::makeBar() {
    bar_ = new QWidget(this);
    title_ = named("viewerTitle", new ElidedLabel(bar_));
    title_->setFont(Theme::current().font("strong"));
    title_->setMinimumWidth(Theme::space(20));  // however long the name is
    zoom_ = named("zoom", new QLabel(bar_));
    zoom_->setMinimumWidth(zoom_->fontMetrics().horizontalAdvance(QStringLiteral("3200 %")));
    zoom_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    compare_ = makeIconButton(
        "compare", tr("Keep this image and wipe between it and the next"), "compare", this);
    compare_->setCheckable(true);
    leave_ = new QShortcut(
        Qt::Key_Escape, this, this, [this] { leave(); }, Qt::WidgetWithChildrenShortcut);
    emitCompare();
    makeWays();
    follow_ = makeIconButton("eye", tr("Follow what runs make"), "follow", this);
    follow_->setCheckable(true);
    follow_->setChecked(true);
    copy_ = makeIconButton("copy", tr("Copy the image"), "copy", this);
    openGraph_ = makeIconButton("open", tr("Open the graph that made it"), "openGraph", this);
    useAsInput_ = makeIconButton("image", tr("Use it as input"), "useAsInput", this);
    paintMask_ = makeIconButton("brush", {}, "paintMask", this);
    crop_ = makeIconButton("crop", {}, "crop", this);
    makeSteps();
    connect(compare_, &QToolButton::toggled, this, &Viewer::compare);
    connect(follow_, &QToolButton::toggled, this, [this](bool isOn) {
        if (!isOn) {
            endLive();
        }
    });
    connect(copy_, &QToolButton::clicked, this, &Viewer::copyImage);
    connect(
        openGraph_, &QToolButton::clicked, this, [this] { Q_EMIT openGraphAsked(shown_.path); });
    connect(
        useAsInput_, &QToolButton::clicked, this, [this] { Q_EMIT useAsInputAsked(shown_.path); });
    fillBar();
}

void Viewer::fillBar() {
    QToolButton* out = makeIconButton("zoom-out", tr("Smaller (-)"), "zoomOut", this);
    QToolButton* in = makeIconButton("zoom-in", tr("Larger (+)"), "zoomIn", this);
    QToolButton* fit = makeIconButton("fit", tr("Fit into the window (F)"), "fit", this);
    QToolButton* whole =
        makeIconButton("locate", tr("One pixel for one pixel (1)"), "actualSize", this);
    QToolButton* alone = makeIconButton("expand", tr("Full screen"), "fullScreen", this);
    connect(out, &QToolButton::clicked, view_, [this] { view_->zoomBy(-1); });
    connect(in, &QToolButton::clicked, view_, [this] { view_->zoomBy(1); });
    connect(fit, &QToolButton::clicked, view_, [this] { view_->fit(); });
    connect(whole, &QToolButton::clicked, view_, [this] { view_->zoomTo(1); });
    connect(alone, &QToolButton::clicked, this, [this] { Q_EMIT aloneAsked(true); });
    compare_->setText(tr("Compare"));
    paintMask_->setText(tr("Mask"));
    crop_->setText(tr("Crop"));
    copy_->setText(tr("Copy"));
    openGraph_->setText(tr("Open graph"));
    useAsInput_->setText(tr("Use as input"));
    for (QWidget* each : std::initializer_list<QWidget*>{previous_, list_, next_, ways_}) {
        keepSpace(*each);
    }
    auto* row = new FlowRow(bar_);
    row->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(2), Theme::space(1));
    row->setSpacing(Theme::space(1));
    row->setAtEnd(true);
    row->addWidget(title_);
    row->addGroup({previous_, list_, next_});
    row->addGroup({zoom_, out, in, fit, whole, alone});
    row->addGroup({follow_, compare_, ways_});
    row->addGroup({paintMask_, crop_});
    row->addGroup({copy_, openGraph_, useAsInput_});
    new LabelsThatFit(*bar_, *row, {compare_, paintMask_, crop_, copy_, openGraph_, useAsInput_});
}

/// What was begun last ends first.
void Viewer::leave() {
    if (retouching_->work() != Retouching::Work::None) {
        retouching_->end();
    } else if (compare_->isChecked()) {
        compare_->setChecked(false);
    } else {
        Q_EMIT aloneAsked(false);
    }
}

void Viewer::setAlone(bool isAlone) {
    isAlone_ = isAlone;
    leave_->setContext(isAlone ? Qt::WindowShortcut : Qt::WidgetWithChildrenShortcut);
    bar_->setVisible(!isAlone);
    below_->setVisible(!isAlone);
    emitCompare();
    showRetouching();
}

/// The buttons of the bar, and what can be done with the file.
void Viewer::popupMenu(const QPoint& point) {
    auto* menu = named("viewerMenu", new QMenu(this));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [menu](QAbstractButton* button) {
        QAction* action = menu->addAction(button->text());
        action->setEnabled(button->isEnabled());
        action->setCheckable(button->isCheckable());
        action->setChecked(button->isChecked());
        connect(action, &QAction::triggered, button, &QAbstractButton::click);
    };
    QAction* alone = menu->addAction(isAlone_ ? tr("Leave full screen") : tr("Full screen"));
    connect(alone, &QAction::triggered, this, [this] { Q_EMIT aloneAsked(!isAlone_); });
    for (QToolButton* button : {compare_, paintMask_, crop_}) {
        add(button);
    }
    menu->addSeparator();
    const qsizetype own = menu->actions().size();
    Q_EMIT menuAsked(menu);
    if (menu->actions().size() == own) {
        for (QToolButton* button : {openGraph_, useAsInput_, copy_}) {
            add(button);
        }
        facts_->addUses(*menu);
    }
    menu->popup(point);
}

void Viewer::setPresets(QMenu* menu) {
    useAsInput_->setMenu(menu);
    useAsInput_->setPopupMode(QToolButton::MenuButtonPopup);
}

void Viewer::makeRetouching(QSplitter& splitter) {
    retouching_ = std::make_unique<Retouching>(*view_, nullptr);
    maskPart_ = new ScrolledPart(retouching_->maskPanel(), this);
    framePart_ = new ScrolledPart(retouching_->framePanel(), this);
    splitter.addWidget(maskPart_);
    splitter.addWidget(framePart_);
    const auto offer = [this](QToolButton* button, Qt::Key key, Retouching::Work work) {
        button->setCheckable(true);
        const auto toggle = [this, work] {
            retouching_->begin(retouching_->work() == work ? Retouching::Work::None : work);
            showRetouching();
        };
        connect(button, &QToolButton::clicked, this, toggle);
        new QShortcut(key, view_, button, &QToolButton::click, Qt::WidgetShortcut);
    };
    offer(paintMask_, Qt::Key_M, Retouching::Work::Mask);
    offer(crop_, Qt::Key_C, Retouching::Work::Frame);
    connect(retouching_.get(), &Retouching::workChanged, this, [this] {
        if (retouching_->work() != Retouching::Work::None) {
            compare_->setChecked(false);
        }
        showRetouching();
    });
}

void Viewer::takeFocus() {
    const bool isShown = view_->isVisibleTo(this);
    wantsFocus_ = !isShown;
    (isShown ? static_cast<QWidget*>(view_) : follow_)->setFocus(Qt::ShortcutFocusReason);
}

bool Viewer::canRetouch() const {
    return !shown_.levels.empty() && !isLive() && retouching_->refusal().isEmpty();
}

/// The tools take the place of the facts.
void Viewer::showRetouching() {
    const Retouching::Work work = retouching_->work();
    const QString refusal = retouching_->refusal();
    const auto show = [&](QToolButton* button, const QString& tip, Retouching::Work its) {
        const QString text = refusal.isEmpty() ? tip : tr("%1: %2").arg(tip, refusal);
        setTip(*button, text);
        button->setEnabled(canRetouch());
        button->setChecked(work == its);
    };
    show(paintMask_, tr("Paint a mask to inpaint (M)"), Retouching::Work::Mask);
    show(crop_, tr("Crop or extend the image (C)"), Retouching::Work::Frame);
    facts_->setVisible(work == Retouching::Work::None && !facts_->isEmpty() && !isAlone_);
    maskPart_->setVisible(work == Retouching::Work::Mask);
    framePart_->setVisible(work == Retouching::Work::Frame);
    compare_->setEnabled(work == Retouching::Work::None && !shown_.levels.empty());
}

void Viewer::addBelow(QWidget* strip) {
    below_->layout()->addWidget(strip);
}

void Viewer::setCatalog(const graph::Catalog* catalog) {
    facts_->setCatalog(catalog);
}

void Viewer::showFile(const QString& path) {
    showFiles({path}, path);
}

void Viewer::showFiles(const QStringList& files, const QString& shown) {
    endComparison();
    files_ = files;
    load(shown);
}

void Viewer::makeSteps() {
    previous_ =
        makeIconButton("chevron-left", tr("Previous image (Left, Page up)"), "previous", this);
    next_ = makeIconButton("chevron-right", tr("Next image (Right, Page down)"), "next", this);
    for (const auto& [key, by] : {std::pair(Qt::Key_PageUp, -1), std::pair(Qt::Key_PageDown, 1)}) {
        new QShortcut(
            key, view_, this, [this, by = by] { step(by); }, Qt::WidgetShortcut);
    }
    list_ = named("pictures", new QComboBox(this));
    list_->setAccessibleName(tr("Images"));
    list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    list_->setMinimumContentsLength(kListLetters);
    connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { step(1); });
    connect(list_, &QComboBox::activated, this, [this](int index) {
        Q_EMIT chosen();
        load(files_.value(index));
    });
}

void Viewer::step(int by) {
    const auto at = files_.indexOf(wanted_) + by;
    if (at >= 0 && at < files_.size()) {
        Q_EMIT chosen();
        load(files_.at(at));
    }
}

void Viewer::fillFiles() {
    const QSignalBlocker quiet(list_);
    const auto at = files_.indexOf(wanted_);
    const bool areSeveral = files_.size() > 1 && at >= 0;
    const bool areListed = areSeveral && files_.size() <= kMostListed;
    list_->clear();
    for (const QString& file : areListed ? files_ : QStringList()) {
        list_->addItem(tr("%1 of %2: %3")
                           .arg(list_->count() + 1)
                           .arg(files_.size())
                           .arg(QFileInfo(file).fileName()));
    }
    if (areSeveral && !areListed) {
        list_->addItem(tr("%1 of %2").arg(at + 1).arg(files_.size()));
    }
    list_->setCurrentIndex(areListed ? static_cast<int>(at) : list_->count() - 1);
    list_->setVisible(areSeveral);
    list_->setEnabled(areListed);
    list_->setToolTip(list_->currentText());
    for (QToolButton* each : {previous_, next_}) {
        each->setVisible(areSeveral);
    }
    previous_->setEnabled(at > 0);
    next_->setEnabled(at + 1 < files_.size());
}

void Viewer::load(const QString& path, std::function<void()> then) {
    wanted_ = path;
    fillFiles();
    loading_.cancel(CancelMode::Now);
    loading_ = {};
    loadImageLater(
        path,
        this,
        [this, then = std::move(then)](const LoadedImage& loaded) {
            beforeLive_.reset();
            present(loaded, QFileInfo(loaded.path).fileName());
            if (then) {
                then();
            }
        },
        loading_.token());
}

void Viewer::showImage(const QImage& image, const QString& title, const QSize& size) {
    endComparison();
    loading_.cancel(CancelMode::Now);
    wanted_.clear();
    files_.clear();
    fillFiles();
    beforeLive_.reset();
    LoadedImage loaded;
    loaded.size = size;
    loaded.levels = levelsOf(image);
    present(loaded, title);
}

void Viewer::showLive(const QImage& image, const QString& title) {
    if (!canFollow() || image.isNull()) {
        return;
    }
    if (!beforeLive_) {
        beforeLive_ = NamedImage{.image = shown_, .name = title_->text()};
    }
    LoadedImage loaded;
    loaded.levels = {image};
    present(loaded, title);
}

void Viewer::setFollowing(bool isFollowing) {
    follow_->setChecked(isFollowing);
}

bool Viewer::isFollowing() const {
    return follow_->isChecked();
}

bool Viewer::canFollow() const {
    return isFollowing() && !compare_->isChecked() && retouching_->work() == Retouching::Work::None;
}

void Viewer::endLive() {
    if (const std::optional<NamedImage> before = std::exchange(beforeLive_, std::nullopt)) {
        present(before->image, before->name);
    }
}

void Viewer::present(const LoadedImage& image, const QString& title) {
    const bool keepsOther =
        compare_->isChecked() && !view_->isComparing() && !shown_.levels.empty();
    if (keepsOther) {
        kept_ = {.image = shown_, .name = title_->text()};
    }
    shown_ = image;
    title_->setText(title);
    view_->setSubject(title);
    problem_->setText(image.problem);
    view_->setImage(image.levels);
    if (keepsOther && !image.levels.empty()) {
        view_->setCompared(kept_.image.levels);
        frames_->keep();
    } else if (!view_->isComparing()) {
        frames_->drop();
    }
    const bool hasImage = !image.levels.empty();
    compare_->setEnabled(hasImage);
    copy_->setEnabled(hasImage);
    openGraph_->setEnabled(!image.graphText().empty() || image.isForeign);
    useAsInput_->setEnabled(hasImage && !image.path.isEmpty());
    if (!isLive()) {
        frames_->open(shown_);
    }
    retouching_->setImage(shown_);
    showPage();
    if (std::exchange(wantsFocus_, false) && hasImage && follow_->hasFocus()) {
        view_->setFocus(Qt::ShortcutFocusReason);
    }
    showFrameBar();
    showZoom(view_->zoom());
    facts_->setImage(shown_);
    showRetouching();
    ways_->setVisible(view_->isComparing());
    showCaptions();
    apart_->clear();
    apart_->hide();
    showDifference();
    Q_EMIT shown();
}

void Viewer::showPage() {
    pages_->setCurrentIndex(!problem_->text().isEmpty() ? kProblemPage
                            : !shown_.levels.empty()    ? kImagePage
                                                        : kEmptyPage);
}

void Viewer::showFrameBar() {
    const bool isVideo = !isLive() && frames_->count() > 1;
    if (isVideo) {
        frameBar_->setVideo(frames_->count(), frames_->rate(), frames_->frame());
        frames_->want(frames_->frame());
    }
    frameBar_->setVisible(isVideo);
}

void Viewer::showFrame(int frame, const ImageLevels& image, const ImageLevels& compared) {
    if (isLive()) {
        return;
    }
    frameBar_->setShown(frame);
    problem_->clear();
    if (!image.empty()) {
        shown_.levels = image;
        view_->setImage(image);
        retouching_->setImage(shown_);
    }
    if (!compared.empty()) {
        view_->setCompared(compared);
    }
    showDifference();
    copy_->setEnabled(true);
    showPage();
}

void Viewer::showProblem(const QString& problem) {
    if (isLive()) {
        return;
    }
    frameBar_->setPlaying(false);
    frameBar_->setShown(frames_->frame());
    problem_->setText(problem);
    copy_->setEnabled(false);
    showPage();
}

void Viewer::showZoom(double zoom) {
    zoom_->setText(shown_.levels.empty() ? QString() : tr("%1 %").arg(std::lround(zoom * 100)));
}

void Viewer::copyImage() const {
    if (!shown_.levels.empty()) {
        QGuiApplication::clipboard()->setImage(shown_.levels.front());
    }
}

void Viewer::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (by == 0 || files_.size() < 2 || event->modifiers() != Qt::NoModifier) {
        return QWidget::keyPressEvent(event);
    }
    step(by);
}

void Viewer::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedImagePath(event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void Viewer::dropEvent(QDropEvent* event) {
    const QString path = droppedImagePath(event->mimeData());
    event->acceptProposedAction();
    Q_EMIT chosen();
    showFile(path);
}

QString droppedImagePath(const QMimeData* data) {
    for (const QUrl& url : data->urls()) {
        const QString path = url.toLocalFile();
        if (image::hasImageName(path.toStdString()) || video::hasVideoName(path.toStdString())) {
            return path;
        }
    }
    return {};
}

}  // namespace lowtide::ui
