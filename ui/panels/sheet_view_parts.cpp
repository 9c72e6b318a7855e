// The parts of SheetView and its actions.
#include "ui/panels/empty_state.hpp"
#include "ui/panels/icon_button.hpp"
#include "ui/panels/picture_view.hpp"
#include "ui/panels/sheet_delegate.hpp"
#include "ui/panels/sheet_view.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/theme/flow_row.hpp"
#include "ui/theme/scrolled_part.hpp"
#include "ui/theme/theme.hpp"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kLeastSection = 32;
constexpr int kLeastLarge = 20;  ///< of the current cell, in steps of the rhythm

}  // namespace

QWidget* SheetView::makeEmpty() {
    auto* page = new QWidget(this);
    auto* ask = new QPushButton(tr("Vary in a sheet..."), page);
    ask->setObjectName(QStringLiteral("newSheet"));
    connect(ask, &QPushButton::clicked, this, &SheetView::sheetAsked);
    auto* column = new QVBoxLayout(page);
    column->addStretch(2);
    column->addWidget(makeEmptyState({.icon = "grid",
                                      .title = tr("No sheet yet"),
                                      .text = tr("A sheet shows what one or two parameters do: "
                                                 "pictures in columns and rows, all else equal.")},
                                     page));
    column->addWidget(ask, 0, Qt::AlignHCenter);
    column->addStretch(3);
    return page;
}

QWidget* SheetView::makeBar() {
    auto* bar = new QWidget(this);
    title_ = new ElidedLabel(bar);
    title_->setObjectName(QStringLiteral("sheetTitle"));
    title_->setFont(Theme::current().font("strong"));
    axes_ = new ElidedLabel(bar);
    axes_->setObjectName(QStringLiteral("sheetAxes"));
    axes_->setFont(Theme::current().font("small"));
    setTextColour(*axes_, "text.muted");
    QToolButton* out = makeIconButton("zoom-out", tr("Smaller (-)"), "zoomOut", this);
    QToolButton* in = makeIconButton("zoom-in", tr("Larger (+)"), "zoomIn", this);
    QToolButton* whole = makeIconButton("fit", tr("Fit into the window (F)"), "fit", this);
    figures_ =
        makeIconButton("clock", tr("Time and peak memory below each picture (T)"), "figures", this);
    figures_->setCheckable(true);
    marks_ = new QComboBox(bar);
    marks_->setObjectName(QStringLiteral("marks"));
    marks_->setAccessibleName(tr("What is marked"));
    marks_->setToolTip(tr("Marks the best and the worst of what was executed"));
    marks_->addItem(tr("Mark nothing"), static_cast<int>(SheetTable::Figure::None));
    marks_->addItem(tr("Mark times"), static_cast<int>(SheetTable::Figure::Time));
    marks_->addItem(tr("Mark memory"), static_cast<int>(SheetTable::Figure::Peak));
    retry_ = makeIconButton("refresh", tr("Run cells without a picture again"), "retry", this);
    whole_ =
        makeIconButton("image", tr("Show the whole sheet as a picture (P)"), "wholeSheet", this);
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
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(title_);
    texts->addWidget(axes_);
    auto* row = new FlowRow(bar);
    row->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(2), Theme::space(1));
    row->setSpacing(Theme::space(1));
    row->setAtEnd(true);
    row->addLayout(texts);
    row->addGroup({out, in, whole, figures_});
    row->addGroup({marks_, retry_, whole_, another, more});
    return bar;
}

QWidget* SheetView::makeGrid() {
    cells_ = new QTableView(this);
    cells_->setObjectName(QStringLiteral("cells"));
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
    connect(cells_, &QTableView::customContextMenuRequested, this, [this](const QPoint& place) {
        menu_->popup(cells_->viewport()->mapToGlobal(place));
    });
    return cells_;
}

QWidget* SheetView::makeLarge() {
    auto* pane = new QWidget(this);
    name_ = new QLabel(pane);
    name_->setObjectName(QStringLiteral("cellName"));
    name_->setFont(Theme::current().font("strong"));
    facts_ = new QLabel(pane);
    facts_->setObjectName(QStringLiteral("cellFacts"));
    for (QLabel* label : {name_, facts_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(Theme::space(3), Theme::space(1), Theme::space(3), 0);
    }
    facts_->setContentsMargins(Theme::space(3), 0, Theme::space(3), Theme::space(2));
    large_ = new PictureView(pane);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addWidget(name_);
    column->addWidget(large_, 1);
    column->addWidget(facts_);
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
        "wholePicture", tr("Show the whole sheet as a &picture"), Qt::Key_P, &SheetView::viewSheet);
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
