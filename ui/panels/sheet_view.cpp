#include "ui/panels/sheet_view.hpp"

#include "ui/panels/image_view.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kLeastSide = 64;
constexpr int kMostSide = 1024;
constexpr double kSideStep = 1.25;
constexpr int kGridWidth = 620;
constexpr int kLargeWidth = 420;
constexpr int kSheetPage = 1;

QSizeF shapeOf(const SheetTable& table) {
    QSizeF shape;
    for (size_t cell = 0; cell < table.plan().cells(); ++cell) {
        shape = shape.expandedTo(table.image(static_cast<int>(cell)).size());
    }
    return shape.isEmpty() ? QSizeF(1, 1) : shape;
}

constexpr int kLeastSection = 32;
constexpr int kLeastLarge = 20;  ///< of the current cell, in steps of the rhythm

}  // namespace

SheetView::SheetView(QWidget* parent)
    : QWidget(parent), table_(new SheetTable(this)), delegate_(new SheetDelegate(this)) {
    setObjectName(QStringLiteral("sheetView"));
    menu_ = named("sheetMenu", new QMenu(this));
    auto* sheet = new QWidget(this);
    auto* splitter = new QSplitter(Qt::Horizontal, sheet);
    splitter->addWidget(makeGrid());
    splitter->addWidget(makeLarge());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({kGridWidth, kLargeWidth});
    columnIn(sheet, 0, {makeBar(), {splitter, 1}});
    pages_ = new QStackedWidget(this);
    pages_->addWidget(makeEmpty());
    pages_->addWidget(sheet);
    columnIn(this, 0, {pages_});
    addActions();
    connect(cells_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            &SheetView::showCurrent);
    connect(table_, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& index) {
        if (table_->numberOf(index) == currentCell()) {
            showFacts();
        }
        if (isFitted_) {
            fit();  // shapes of images become known
        }
    });
    adjust();
}

SheetView::~SheetView() {
    loading_.cancel(CancelMode::Now);
}

const RunKey& SheetView::sheet() const {
    return table_->sheet().key;
}

void SheetView::showSheet(const SheetRecord& record, const SheetPlan& plan) {
    const bool isSame = record.key == sheet();
    if (!isSame) {
        reference_ = -1;
        delegate_->setReference(-1);
        referenceLevels_.clear();
        isFitted_ = true;
        figures_->setChecked(plan.isMeasured);
    }
    table_->setSheet(record, plan);
    title_->setText(record.title);
    const QString across = tr("Columns: %1").arg(plan.x.title());
    axes_->setText(plan.y ? tr("%1 · Rows: %2").arg(across, plan.y->title()) : across);
    cells_->verticalHeader()->setVisible(plan.y.has_value());
    pages_->setCurrentIndex(kSheetPage);
    if (!isSame) {
        setCurrentCell(0);
    }
    if (isFitted_) {
        fit();
    }
    showCurrent();
}

void SheetView::setProgress(const RunKey& run, double progress) {
    table_->setProgress(run, progress);
}

int SheetView::currentCell() const {
    return table_->numberOf(cells_->currentIndex());
}

void SheetView::setCurrentCell(int cell) {
    cells_->setCurrentIndex(table_->indexOf(cell));
}

void SheetView::focusCells() {
    cells_->setFocus(Qt::OtherFocusReason);
}

QString SheetView::fileOf(int cell) const {
    const SheetCellRecord* record = table_->cellAt(table_->indexOf(cell));
    return record ? record->files.value(0) : QString();
}

void SheetView::adjust() {
    const int cell = currentCell();
    const bool hasFile = !fileOf(cell).isEmpty();
    const SheetCellRecord* record = table_->cellAt(table_->indexOf(cell));
    const auto enable = [&](const char* name, bool isOn) {
        findChild<QAction*>(QLatin1String(name))->setEnabled(isOn);
    };
    enable("view", hasFile);
    enable("cellGraph", record && record->isKnown);
    enable("cellValues", record != nullptr);
    enable("compareWith", hasFile);
    enable("compareInViewer", hasFile && reference_ >= 0 && reference_ != cell);
    enable("wholePicture", !table_->sheet().image.isEmpty());
    findChild<QAction*>(QStringLiteral("compareWith"))
        ->setChecked(reference_ >= 0 && reference_ == cell);
    whole_->setEnabled(!table_->sheet().image.isEmpty());
    bool hasFailures = false;
    for (int each = 0; each < static_cast<int>(table_->sheet().cells.size()); ++each) {
        hasFailures = hasFailures || table_->hasFailed(each);
    }
    retry_->setVisible(hasFailures);
}

void SheetView::setSide(int pixels) {
    side_ = std::clamp(pixels, kLeastSide, kMostSide);
    delegate_->setSide(side_);
    const QSize size = delegate_->cellSize(shapeOf(*table_));
    cells_->horizontalHeader()->setDefaultSectionSize(size.width());
    cells_->verticalHeader()->setDefaultSectionSize(size.height());
    cells_->viewport()->update();
}

/// As large as all columns and rows fit, or as small as can still be seen.
void SheetView::fit() {
    isFitted_ = true;
    const SheetPlan& plan = table_->plan();
    if (plan.columns() == 0) {
        return;
    }
    const QSizeF shape = shapeOf(*table_);
    const double longer = std::max(shape.width(), shape.height());
    delegate_->setSide(kMostSide);
    const QSize largest = delegate_->cellSize(shape);
    const double across = kMostSide * shape.width() / longer;
    const double down = kMostSide * shape.height() / longer;
    const QSize available = cells_->viewport()->size();
    const double columns = static_cast<double>(plan.columns());
    const double rows = static_cast<double>(plan.rows());
    const double byWidth = (available.width() / columns - (largest.width() - across)) / across;
    const double byHeight = (available.height() / rows - (largest.height() - down)) / down;
    setSide(static_cast<int>(kMostSide * std::min(byWidth, byHeight)));
}

void SheetView::zoomBy(int steps) {
    isFitted_ = false;
    setSide(static_cast<int>(std::lround(side_ * std::pow(kSideStep, steps))));
    cells_->scrollTo(cells_->currentIndex());
}

void SheetView::showFigures(bool areShown) {
    delegate_->setFigures(areShown);
    isFitted_ ? fit() : setSide(side_);
}

void SheetView::mark() {
    delegate_->setMarked(static_cast<SheetTable::Figure>(marks_->currentData().toInt()));
    cells_->viewport()->update();
}

void SheetView::showCurrent() {
    adjust();
    showFacts();
    const QString file = fileOf(currentCell());
    if (file == loaded_) {
        return presentCurrent();
    }
    loaded_ = file;
    loading_.cancel(CancelMode::Now);
    loading_ = {};
    if (file.isEmpty()) {
        currentLevels_.clear();
        return presentCurrent();
    }
    loadImageLater(
        file,
        this,
        [this](const LoadedImage& loaded) {
            currentLevels_ = loaded.levels;
            presentCurrent();
        },
        loading_.token());
}

void SheetView::presentCurrent() {
    const bool isCompared =
        reference_ >= 0 && reference_ != currentCell() && !referenceLevels_.empty();
    if (isCompared && !currentLevels_.empty()) {
        large_->setImage(referenceLevels_);
        large_->setCompared(currentLevels_);
    } else {
        large_->setCompared({});
        large_->setImage(currentLevels_);
    }
}

void SheetView::showFacts() {
    const int cell = currentCell();
    if (cell < 0) {
        name_->clear();
        facts_->clear();
        return;
    }
    QString name = table_->plan().cellTitle(static_cast<size_t>(cell));
    if (reference_ >= 0 && reference_ != cell) {
        name = tr("%1 | %2").arg(table_->plan().cellTitle(static_cast<size_t>(reference_)), name);
    }
    name_->setText(name);
    QStringList lines;
    for (const QString& line : {table_->stateText(cell), table_->figures(cell)}) {
        if (!line.isEmpty()) {
            lines << line;
        }
    }
    const SheetCellRecord& record = *table_->cellAt(table_->indexOf(cell));
    if (record.files.size() > 1) {
        lines << tr("The first of %n images", nullptr, static_cast<int>(record.files.size()));
    }
    if (const int same = table_->sameAs(cell); same >= 0) {
        lines << tr("Identical to %1, pixel for pixel")
                     .arg(table_->plan().cellTitle(static_cast<size_t>(same)));
    }
    facts_->setText(lines.join(QLatin1Char('\n')));
}

void SheetView::openGraph() {
    if (const SheetCellRecord* cell = table_->cellAt(cells_->currentIndex())) {
        Q_EMIT graphAsked(cell->run, cell->files.value(0));
    }
}

void SheetView::useValues() {
    Q_EMIT valuesAsked(currentCell());
}

void SheetView::view() {
    const SheetCellRecord* cell = table_->cellAt(cells_->currentIndex());
    if (!cell || cell->files.isEmpty()) {
        return;
    }
    if (cell->files.size() > 1) {
        Q_EMIT viewAsked(cell->files, cell->files.front());
        return;
    }
    QStringList all;  // the viewer steps through the sheet
    for (const SheetCellRecord& each : table_->sheet().cells) {
        all << each.files;
    }
    Q_EMIT viewAsked(all, cell->files.front());
}

void SheetView::viewSheet() {
    if (const QString image = table_->sheet().image; !image.isEmpty()) {
        Q_EMIT viewAsked({image}, image);
    }
}

void SheetView::compareWith() {
    const int cell = currentCell();
    reference_ = reference_ == cell ? -1 : cell;
    referenceLevels_ = reference_ < 0 ? ImageLevels() : currentLevels_;
    delegate_->setReference(reference_);
    cells_->viewport()->update();
    showCurrent();
}

void SheetView::compareInViewer() {
    const QString left = fileOf(reference_);
    const QString right = fileOf(currentCell());
    if (!left.isEmpty() && !right.isEmpty()) {
        Q_EMIT compareAsked(left, right);
    }
}

void SheetView::resizeEvent(QResizeEvent*) {
    if (isFitted_) {
        fit();
    }
}

bool SheetView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && isFitted_) {
        fit();
    } else if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->modifiers().testFlag(Qt::ControlModifier)) {
            zoomBy(wheel->angleDelta().y() > 0 ? 1 : -1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* SheetView::makeEmpty() {
    auto* page = new QWidget(this);
    QPushButton* ask = makeButton(tr("Vary in a sheet..."), "newSheet", page);
    connect(ask, &QPushButton::clicked, this, &SheetView::sheetAsked);
    auto* column = new QVBoxLayout(page);
    column->addStretch(2);
    column->addWidget(makeEmptyState({.icon = "grid",
                                      .title = tr("No sheet yet"),
                                      .text = tr("A sheet shows what one or two parameters do: "
                                                 "images in columns and rows, all else equal.")},
                                     page));
    column->addWidget(ask, 0, Qt::AlignHCenter);
    column->addStretch(3);
    return page;
}

QWidget* SheetView::makeBar() {
    auto* bar = new QWidget(this);
    title_ = named("sheetTitle", new ElidedLabel(bar));
    title_->setFont(Theme::current().font("strong"));
    axes_ = named("sheetAxes", new ElidedLabel(bar));
    axes_->setFont(Theme::current().font("small"));
    setTextColour(*axes_, "text.muted");
    QToolButton* out = makeIconButton("zoom-out", tr("Smaller (-)"), "zoomOut", this);
    QToolButton* in = makeIconButton("zoom-in", tr("Larger (+)"), "zoomIn", this);
    QToolButton* whole = makeIconButton("fit", tr("Fit into the window (F)"), "fit", this);
    figures_ =
        makeIconButton("clock", tr("Time and peak memory below each image (T)"), "figures", this);
    figures_->setCheckable(true);
    marks_ = named("marks", new QComboBox(bar));
    marks_->setAccessibleName(tr("What is marked"));
    marks_->setToolTip(tr("Marks the best and the worst of what was executed"));
    marks_->addItem(tr("Mark nothing"), static_cast<int>(SheetTable::Figure::None));
    marks_->addItem(tr("Mark times"), static_cast<int>(SheetTable::Figure::Time));
    marks_->addItem(tr("Mark memory"), static_cast<int>(SheetTable::Figure::Peak));
    retry_ = makeIconButton("refresh", tr("Run cells without an image again"), "retry", this);
    whole_ =
        makeIconButton("image", tr("Show the whole sheet as an image (P)"), "wholeSheet", this);
    QToolButton* another = makeIconButton("plus", tr("Another sheet..."), "anotherSheet", this);
    QToolButton* more =
        makeIconButton("more", tr("What can be done with the cell"), "sheetMore", this);
    more->setMenu(menu_);
    more->setPopupMode(QToolButton::InstantPopup);
    connect(out, &QToolButton::clicked, this, [this] { zoomBy(-1); });
    connect(in, &QToolButton::clicked, this, [this] { zoomBy(1); });
    connect(whole, &QToolButton::clicked, this, &SheetView::fit);
    connect(figures_, &QToolButton::toggled, this, &SheetView::showFigures);
    connect(marks_, &QComboBox::activated, this, &SheetView::mark);
    connect(retry_, &QToolButton::clicked, this, &SheetView::retryAsked);
    connect(whole_, &QToolButton::clicked, this, &SheetView::viewSheet);
    connect(another, &QToolButton::clicked, this, &SheetView::sheetAsked);
    auto* row = new FlowRow(bar);
    row->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(2), Theme::space(1));
    row->setSpacing(Theme::space(1));
    row->setAtEnd(true);
    row->addLayout(columnIn(nullptr, 0, {title_, axes_}));
    row->addGroup({out, in, whole, figures_});
    row->addGroup({marks_, retry_, whole_, another, more});
    return bar;
}

QWidget* SheetView::makeGrid() {
    cells_ = named("cells", new QTableView(this));
    cells_->setAccessibleName(tr("Cells of the sheet"));
    cells_->setModel(table_);
    cells_->setItemDelegate(delegate_);
    cells_->setSelectionMode(QAbstractItemView::SingleSelection);
    cells_->setShowGrid(false);
    cells_->setFrameShape(QFrame::NoFrame);
    cells_->setCornerButtonEnabled(false);
    cells_->setTabKeyNavigation(false);
    cells_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    cells_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    cells_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    cells_->setContextMenuPolicy(Qt::CustomContextMenu);
    for (QHeaderView* header : {cells_->horizontalHeader(), cells_->verticalHeader()}) {
        header->setSectionResizeMode(QHeaderView::Fixed);
        header->setTextElideMode(Qt::ElideRight);
        header->setDefaultAlignment(Qt::AlignCenter);
        header->setMinimumSectionSize(kLeastSection);
    }
    cells_->verticalHeader()->setMaximumWidth(Theme::space(40));
    cells_->viewport()->installEventFilter(this);
    connect(cells_, &QTableView::activated, this, &SheetView::view);
    connect(cells_, &QTableView::customContextMenuRequested, this, [this](const QPoint& point) {
        menu_->popup(cells_->viewport()->mapToGlobal(point));
    });
    return cells_;
}

QWidget* SheetView::makeLarge() {
    auto* pane = new QWidget(this);
    name_ = makeText({}, "cellName", pane, "strong");
    facts_ = makeText({}, "cellFacts", pane);
    for (QLabel* label : {name_, facts_}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(3), 0);
    }
    facts_->setContentsMargins(Theme::space(3), 0, Theme::space(3), Theme::space(2));
    large_ = new ImageView(pane);
    connect(large_, &ImageView::doubleClicked, this, &SheetView::view);
    columnIn(pane, 1, {name_, {large_, 1}, facts_});
    auto* scrolled = new ScrolledPart(pane, this);
    scrolled->setLeast(QSize(Theme::space(kLeastLarge), Theme::space(kLeastLarge)));
    return scrolled;
}

QAction* SheetView::addAction(const char* name,
                              const QString& text,
                              const QKeySequence& key,
                              void (SheetView::*act)()) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    cells_->addAction(action);
    menu_->addAction(action);
    connect(action, &QAction::triggered, this, act);
    return action;
}

void SheetView::addActions() {
    addAction("view", tr("&View"), {}, &SheetView::view);  // Return is the table's own
    addAction("cellGraph", tr("Open this cell's &graph"), Qt::Key_G, &SheetView::openGraph);
    addAction("cellValues", tr("&Use these values"), Qt::Key_U, &SheetView::useValues);
    menu_->addSeparator();
    addAction(
        "compareWith", tr("&Compare the others with this one"), Qt::Key_C, &SheetView::compareWith)
        ->setCheckable(true);
    addAction("compareInViewer",
              tr("Compare in the &viewer"),
              Qt::SHIFT | Qt::Key_C,
              &SheetView::compareInViewer);
    menu_->addSeparator();
    addAction(
        "wholePicture", tr("Show the whole sheet as an &image"), Qt::Key_P, &SheetView::viewSheet);
    const auto key = [this](const QKeySequence& keys, auto&& act) {
        auto* action = new QAction(cells_);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        cells_->addAction(action);
        connect(action, &QAction::triggered, this, act);
    };
    key(Qt::Key_Plus, [this] { zoomBy(1); });
    key(Qt::Key_Equal, [this] { zoomBy(1); });
    key(Qt::Key_Minus, [this] { zoomBy(-1); });
    key(Qt::Key_F, [this] { fit(); });
    key(Qt::Key_T, [this] { figures_->toggle(); });
    key(Qt::Key_W, [this] { large_->setWay(CompareWay::Wipe); });
    key(Qt::Key_S, [this] { large_->setWay(CompareWay::SideBySide); });
    key(Qt::Key_D, [this] { large_->setWay(CompareWay::Difference); });
}

}  // namespace lowtide::ui
