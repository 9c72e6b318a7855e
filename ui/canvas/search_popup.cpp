#include "ui/canvas/search_popup.hpp"

#include "ui/canvas/search_row.hpp"
#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kWidth = 360;
constexpr int kHeight = 388;
constexpr int kDetailHeight = 44;
constexpr size_t kRecentCount = 6;
constexpr int kPage = 8;

}  // namespace

SearchPopup::SearchPopup(const graph::Catalog& catalog, QWidget* parent)
    : QFrame(parent),
      catalog_(catalog),
      pattern_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new QStandardItemModel(this)),
      detail_(new QLabel(this)) {
    setObjectName(QStringLiteral("nodeSearch"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    pattern_->setObjectName(QStringLiteral("nodeSearchPattern"));
    pattern_->setPlaceholderText(tr("Search nodes"));
    pattern_->addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    pattern_->installEventFilter(this);
    list_->setObjectName(QStringLiteral("nodeSearchList"));
    list_->setModel(model_);
    list_->setItemDelegate(new SearchRow(list_));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setMouseTracking(true);
    list_->setFrameShape(QFrame::NoFrame);
    detail_->setWordWrap(true);
    detail_->setFixedHeight(kDetailHeight);
    detail_->setFont(Theme::current().font("small"));
    detail_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::space(2), Theme::space(2), Theme::space(2), Theme::space(2));
    layout->setSpacing(Theme::space(2));
    layout->addWidget(pattern_);
    layout->addWidget(list_, 1);
    layout->addWidget(detail_);
    resize(kWidth, kHeight);
    hide();
    connect(pattern_, &QLineEdit::textChanged, this, &SearchPopup::refresh);
    connect(list_, &QListView::clicked, this, &SearchPopup::takeCurrent);
    connect(list_, &QListView::entered, list_, &QListView::setCurrentIndex);
    connect(list_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            &SearchPopup::showDetail);
}

void SearchPopup::openAt(QPoint at, const PortWanted& wanted) {
    wanted_ = wanted;
    pattern_->clear();
    refresh();
    placeWithin(at);
    show();
    raise();
    pattern_->setFocus(Qt::PopupFocusReason);
}

void SearchPopup::placeWithin(QPoint at) {
    const QSize room = parentWidget()->size();
    resize(std::min(kWidth, room.width()), std::min(kHeight, room.height()));
    move(std::clamp(at.x(), 0, std::max(0, room.width() - width())),
         std::clamp(at.y(), 0, std::max(0, room.height() - height())));
}

void SearchPopup::remember(const std::string& type) {
    std::erase(recent_, type);
    recent_.insert(recent_.begin(), type);
    recent_.resize(std::min(recent_.size(), kRecentCount));
}

void SearchPopup::refresh() {
    hits_ = searchNodes(catalog_, pattern_->text().trimmed(), wanted_, recent_);
    model_->clear();
    for (const SearchHit& hit : hits_) {
        model_->appendRow(SearchRow::itemFor(hit, wanted_));
    }
    list_->setCurrentIndex(model_->index(0, 0));
    showDetail();
}

void SearchPopup::showDetail() {
    const int row = list_->currentIndex().row();
    if (row < 0 || row >= static_cast<int>(hits_.size())) {
        detail_->setText(wanted_.type.empty()
                             ? tr("No node has that in its name, category or help.")
                             : tr("No such node takes a wire of type %1.")
                                   .arg(QString::fromStdString(wanted_.type)));
        return;
    }
    detail_->setText(QString::fromStdString(hits_[static_cast<size_t>(row)].desc->tooltip));
}

void SearchPopup::moveCurrent(int steps) {
    const int count = model_->rowCount();
    if (count > 0) {
        const int row = std::clamp(list_->currentIndex().row() + steps, 0, count - 1);
        list_->setCurrentIndex(model_->index(row, 0));
    }
}

void SearchPopup::takeCurrent() {
    const int row = list_->currentIndex().row();
    if (row < 0 || row >= static_cast<int>(hits_.size())) {
        return;
    }
    const std::string type = hits_[static_cast<size_t>(row)].desc->id;
    const std::string port = hits_[static_cast<size_t>(row)].port;
    remember(type);
    Q_EMIT chosen(type, port);  // before closed(), which drops the wire that waits
    hide();
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && isVisible() && isActiveWindow()) {
        hide();
        return false;
    }
    if (event->type() != QEvent::KeyPress) {
        return QFrame::eventFilter(watched, event);
    }
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down:
        case Qt::Key_Tab:
            moveCurrent(1);
            return true;
        case Qt::Key_Up:
        case Qt::Key_Backtab:
            moveCurrent(-1);
            return true;
        case Qt::Key_PageDown:
            moveCurrent(kPage);
            return true;
        case Qt::Key_PageUp:
            moveCurrent(-kPage);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            takeCurrent();
            return true;
        case Qt::Key_Escape:
            hide();
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

void SearchPopup::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    Q_EMIT closed();
}

}  // namespace lowtide::ui
