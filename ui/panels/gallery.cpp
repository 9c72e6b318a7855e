#include "ui/panels/gallery.hpp"

#include "ui/access/announce.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/panels/gallery_files.hpp"
#include "ui/panels/gallery_filter.hpp"
#include "ui/panels/gallery_rows.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::ui {

namespace {

enum Page { kImages, kNothingYet, kNothingFound, kUnread };

constexpr int kSides[] = {
    GalleryDelegate::kSmall, GalleryDelegate::kMedium, GalleryDelegate::kLarge};

}  // namespace

Gallery::Gallery(RunLibrary& library, QWidget* parent)
    : QWidget(parent),
      library_(library),
      rows_(new GalleryRows(library, this)),
      delegate_(new GalleryDelegate(this)),
      removal_(new GalleryRemoval(library, this)) {
    setObjectName(QStringLiteral("gallery"));
    build();
    addActions();
    connect(&library_, &RunLibrary::imagesChanged, this, &Gallery::askImages);
    connect(filter_, &GalleryFilter::changed, this, &Gallery::askImages);
    connect(filter_, &GalleryFilter::left, this, [this] {
        if (rows_->rowCount({}) > 0) {
            list_->setFocus(Qt::ShortcutFocusReason);
        }
    });
    connect(removal_, &GalleryRemoval::removed, this, &Gallery::removed);
    connect(removal_, &GalleryRemoval::returned, this, &Gallery::returned);
    connect(removal_, &GalleryRemoval::refused, this, &Gallery::refused);
    connect(list_, &QListView::activated, this, &Gallery::activate);
    connect(
        list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &Gallery::adjust);
    connect(list_, &QListView::customContextMenuRequested, this, [this](const QPoint& point) {
        menu_->popup(list_->viewport()->mapToGlobal(point));
    });
    adjust();
}

void Gallery::build() {
    filter_ = new GalleryFilter(this);
    list_ = named("pictures", new QListView(this));
    list_->setAccessibleName(tr("Images"));
    list_->setModel(rows_);
    list_->setItemDelegate(delegate_);
    list_->setViewMode(QListView::IconMode);
    list_->setMovement(QListView::Static);
    list_->setResizeMode(QListView::Adjust);
    list_->setUniformItemSizes(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setDragDropMode(QAbstractItemView::DragOnly);
    list_->setDragEnabled(true);
    list_->setMouseTracking(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    list_->installEventFilter(this);
    selectRowForKeys(*list_);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(list_);
    pages_->addWidget(makeEmptyState({.icon = "image",
                                      .title = tr("No images yet"),
                                      .text = tr("Every image and video that a run saves is "
                                                 "kept here, with its graph.")},
                                     pages_));
    pages_->addWidget(
        makeEmptyState({.icon = "search",
                        .title = tr("No image matches"),
                        .text = tr("Search for other words, or take the filters away.")},
                       pages_));
    pages_->addWidget(
        makeEmptyState({.icon = "warning",
                        .title = tr("The list of images cannot be read"),
                        .text = tr("The files themselves are untouched. A notice says "
                                   "why; the list is read again at the next change.")},
                       pages_));
    count_ = named("galleryCount", new QLabel(this));
    count_->setToolTip(
        tr("Ctrl+click marks several images, or Ctrl with an arrow, then Space. C compares two, "
           "Enter views one."));
    setTextColour(*count_, "text.muted");
    list_->setAccessibleDescription(count_->toolTip());
    menu_ = named("galleryMenu", new QMenu(this));
    QToolButton* more =
        makeIconButton("more", tr("What can be done with what is selected"), "galleryMore", this);
    more->setMenu(menu_);
    more->setPopupMode(QToolButton::InstantPopup);
    filter_->addAtEnd({count_, more});
    columnIn(this, 0, {rowIn(nullptr, 2, {3, 2, 2, 2}, {filter_}), {pages_, 1}});
}

template <class Act>
void Gallery::addAction(const char* name, const QString& text, const QKeySequence& key, Act act) {
    auto* action = named(name, new QAction(text, this));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(action);
    menu_->addAction(action);
    connect(action, &QAction::triggered, this, act);
}

void Gallery::addActions() {
    addAction("view", tr("&View"), {}, &Gallery::view);  // Return is the list's own
    addAction("compare", tr("&Compare"), Qt::Key_C, &Gallery::compareSelected);
    addAction("star", tr("&Star"), Qt::Key_S, &Gallery::star);
    menu_->addSeparator();
    addAction("useGraph", tr("Use this &graph"), Qt::Key_G, &Gallery::openGraph);
    const auto addUse = [this](const char* name, const QString& text, Qt::Key key, ImageUse use) {
        addAction(name, text, key, [this, use] { useValues(use); });
    };
    addUse("usePrompt", tr("Use this &prompt"), Qt::Key_P, ImageUse::Prompt);
    addUse("useSeed", tr("Use this s&eed"), Qt::Key_E, ImageUse::Seed);
    addUse("useSize", tr("&Use this size"), Qt::Key_U, ImageUse::Size);
    addUse("useAll", tr("Use &all values"), Qt::Key_A, ImageUse::All);
    addAction("differences",
              tr("What &differs from the open graph"),
              Qt::Key_D,
              &Gallery::showDifferences);
    addAction("useAsInput", tr("Use as &input"), Qt::Key_I, &Gallery::useAsInput);
    addAction("openSheet", tr("Open its s&heet"), Qt::Key_T, &Gallery::openSheet);
    menu_->addSeparator()->setObjectName(QStringLiteral("copySeparator"));
    addAction("copy", tr("C&opy"), QKeySequence::Copy, &Gallery::copy);
    addAction("openFolder", tr("Open the &folder"), Qt::Key_F, &Gallery::openFolder);
    addAction("rename", tr("&Rename..."), Qt::Key_F2, &Gallery::rename);
    addAction(
        "remove", tr("Move to the &wastebasket"), QKeySequence::Delete, &Gallery::removeSelected);
    menu_->addSeparator();
    QMenu* sizes = menu_->addMenu(tr("Si&ze"));
    sizes->menuAction()->setObjectName(QStringLiteral("tileSize"));
    const QString names[] = {tr("&Small"), tr("&Medium"), tr("&Large")};
    for (size_t i = 0; i < std::size(kSides); ++i) {
        connect(sizes->addAction(names[i]), &QAction::triggered, this, [this, i] {
            setSide(kSides[i]);
        });
    }
}

void Gallery::setSide(int pixels) {
    delegate_->setSide(pixels);
    emitSize();
    list_->doItemsLayout();
}

void Gallery::emitSize() {
    const double scale = devicePixelRatioF();
    rows_->setSide(qRound(delegate_->imageSide() * scale), scale);
}

void Gallery::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    emitSize();
    refresh();
}

void Gallery::refresh() {
    if (isStale_) {
        askImages();
    }
}

void Gallery::popupMenu(const QString& path, const QPoint& point) {
    select(path);
    menu_->popup(point);
}

/// All but the size of the images in the list.
void Gallery::addTo(QMenu& menu, const QString& path) {
    if (!rows_->indexOfPath(path).isValid()) {
        return;
    }
    select(path);
    for (QAction* action : menu_->actions()) {
        if (action->objectName() != QLatin1String("tileSize")) {
            menu.addAction(action);
        }
    }
}

/// While nobody looks, what has changed waits.
void Gallery::askImages() {
    isStale_ = true;
    if (isAsked_ || !(isVisible() || (strip_ && strip_->isVisible()))) {
        return;
    }
    isAsked_ = true;
    isStale_ = false;
    library_.ask([](RunStore& store) { return std::pair(store.models(), store.graphs()); },
                 this,
                 [this](const std::pair<QStringList, QStringList>& found) {
                     filter_->setChoices(found.first, found.second);
                 });
    library_.ask([filter = filter_->filter()](RunStore& store) { return store.images(filter); },
                 this,
                 [this](std::vector<ImageRecord> images) {
                     isUnread_ = false;
                     takeImages(std::move(images));
                 },
                 [this] {
                     isUnread_ = true;
                     takeImages(rows_->images());
                 });
}

void Gallery::takeImages(std::vector<ImageRecord> images) {
    isAsked_ = false;
    isFilled_ = true;
    rows_->setImages(std::move(images));
    showPage();
    adjust();
    if (isStale_) {
        askImages();
    }
}

void Gallery::showPage() {
    const bool isEmpty = rows_->images().empty();
    pages_->setCurrentIndex(!isEmpty || !isFilled_ ? kImages
                            : isUnread_            ? kUnread
                            : filter_->isOpen()    ? kNothingYet
                                                   : kNothingFound);
}

/// Shown next to how many there are. One alone is where the keyboard is.
void Gallery::emitMarked(const std::vector<ImageRecord>& chosen) {
    std::set<int64_t> marked;
    if (chosen.size() > 1) {
        for (const ImageRecord& image : chosen) {
            marked.insert(image.id);
        }
    }
    const auto now = static_cast<int>(marked.size());
    rows_->setMarked(std::move(marked));
    const int all = rows_->rowCount({});
    const QString images = tr("%n images", nullptr, all);
    const QString words = tr("%n marked", nullptr, now);
    const auto widthOf = [this, &images](const QString& ofMarked) {
        return count_->fontMetrics().horizontalAdvance(tr("%1, %2").arg(images, ofMarked));
    };
    // Nothing moves when some are marked; digits differ a little in width.
    count_->setMinimumWidth(widthOf(tr("%n marked", nullptr, all)) + Theme::space(2));
    count_->setText(all == 0 ? QString() : now == 0 ? images : tr("%1, %2").arg(images, words));
    if (now != marked_) {
        announce(*list_, words);
    }
    marked_ = now;
}

QStringList Gallery::files() const {
    QStringList files;
    for (const ImageRecord& image : rows_->images()) {
        files << image.path;
    }
    return files;
}

std::vector<ImageRecord> Gallery::selected() const {
    QModelIndexList indexes = list_->selectionModel()->selectedIndexes();
    std::ranges::sort(indexes, [](const QModelIndex& left, const QModelIndex& right) {
        return left.row() < right.row();
    });
    std::vector<ImageRecord> images;
    for (const QModelIndex& index : indexes) {
        if (const ImageRecord* image = rows_->imageAt(index)) {
            images.push_back(*image);
        }
    }
    return images;
}

void Gallery::select(const QString& path) {
    if (const QModelIndex index = rows_->indexOfPath(path); index.isValid()) {
        list_->setCurrentIndex(index);
        list_->scrollTo(index);
    }
}

void Gallery::focusSearch() {
    filter_->focusWords();
}

void Gallery::setPresets(QMenu* menu) {
    menu->menuAction()->setObjectName(QStringLiteral("usePreset"));
    menu_->insertMenu(findChild<QAction*>(QStringLiteral("copySeparator")), menu);
    adjust();
}

void Gallery::adjust() {
    const std::vector<ImageRecord> chosen = selected();
    emitMarked(chosen);
    const auto enable = [&](const char* name, bool isOn) {
        if (auto* action = findChild<QAction*>(QLatin1String(name))) {
            action->setEnabled(isOn);
        }
    };
    const bool isOne = chosen.size() == 1;
    for (const char* name : {"view",
                             "useGraph",
                             "usePrompt",
                             "useSeed",
                             "useSize",
                             "useAll",
                             "differences",
                             "useAsInput",
                             "usePreset",
                             "copy",
                             "rename"}) {
        enable(name, isOne);
    }
    enable("compare", chosen.size() == 2);
    findChild<QAction*>(QStringLiteral("compare"))
        ->setText(chosen.size() == 2 ? tr("&Compare") : tr("&Compare: mark two first"));
    enable("openSheet", isOne && !chosen.front().sheet.isEmpty());
    for (const char* name : {"star", "openFolder", "remove"}) {
        enable(name, !chosen.empty());
    }
    const bool areStarred = !chosen.empty() && std::ranges::all_of(chosen, &ImageRecord::isStarred);
    findChild<QAction*>(QStringLiteral("star"))
        ->setText(areStarred ? tr("Take the &star away") : tr("&Star"));
}

void Gallery::view() {
    if (const std::vector<ImageRecord> chosen = selected(); !chosen.empty()) {
        Q_EMIT viewAsked(chosen.front().path);
    }
}

/// A sheet opens as one.
void Gallery::activate() {
    const std::vector<ImageRecord> chosen = selected();
    if (!chosen.empty() && isOfSheet(chosen.front())) {
        openSheet();
    } else {
        view();
    }
}

void Gallery::openSheet() {
    Q_EMIT sheetAsked(selected().front().sheet);
}

void Gallery::compareSelected() {
    if (const std::vector<ImageRecord> chosen = selected(); chosen.size() == 2) {
        Q_EMIT compareAsked(chosen.back().path, chosen.front().path);  // the older one is left
    }
}

void Gallery::star() {
    std::vector<int64_t> ids;
    bool areStarred = true;
    for (const ImageRecord& image : selected()) {
        ids.push_back(image.id);
        areStarred = areStarred && image.isStarred;
    }
    library_.changeImages(
        [ids, areStarred](RunStore& store) { store.setStarred(ids, !areStarred); });
}

void Gallery::openFolder() {
    const std::vector<ImageRecord> chosen = selected();
    const QString folder = QFileInfo(chosen.front().path).absolutePath();
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder))) {
        Q_EMIT refused(tr("No program opens the folder “%1”.").arg(folder));
    }
}

/// The file, and what it shows.
void Gallery::copy() {
    const std::vector<ImageRecord> chosen = selected();
    loadImageLater(chosen.front().path, this, [this](const LoadedImage& loaded) {
        if (loaded.levels.empty()) {
            Q_EMIT refused(loaded.problem);
            return;
        }
        auto* copied = new QMimeData;
        copied->setUrls({QUrl::fromLocalFile(loaded.path)});
        copied->setImageData(loaded.levels.front());
        QGuiApplication::clipboard()->setMimeData(copied);
    });
}

void Gallery::rename() {
    const ImageRecord image = selected().front();
    bool isTaken = false;
    const QString name = QInputDialog::getText(this,
                                               tr("Rename"),
                                               tr("Name of the file"),
                                               QLineEdit::Normal,
                                               QFileInfo(image.path).completeBaseName(),
                                               &isTaken);
    if (!isTaken) {
        return;
    }
    later(
        this,
        [image, name] { return renameFile(image, name); },
        [this](const MovedFile& moved) {
            if (!moved.problem.isEmpty()) {
                Q_EMIT refused(moved.problem);
                return;
            }
            library_.changeImages(
                [moved](RunStore& store) { store.setPath(moved.image, moved.path); },
                [moved] { QThreadPool::globalInstance()->start([moved] { endRename(moved); }); });
        });
}

void Gallery::removeSelected() {
    removal_->remove(selected());
}

void Gallery::undoRemove() {
    removal_->undo();
}

bool Gallery::eventFilter(QObject* watched, QEvent* event) {
    const bool isKey =
        event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (watched != list_ || !isKey || !removal_->canUndo() ||
        !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo)) {
        return QWidget::eventFilter(watched, event);
    }
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        removal_->undo();
    }
    return true;
}

void Gallery::openGraph() {
    const ImageRecord image = selected().front();
    Q_EMIT graphAsked(image.run, image.path);
}

void Gallery::useValues(ImageUse use) {
    const ImageRecord image = selected().front();
    Q_EMIT valuesAsked(image.run, image.path, use);
}

void Gallery::showDifferences() {
    Q_EMIT differencesAsked(selected().front().run);
}

void Gallery::useAsInput() {
    Q_EMIT inputAsked(selected().front().path);
}

}  // namespace lowtide::ui
