#include "ui/canvas/pick_popup.hpp"

#include "ui/access/announce.hpp"
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

constexpr int kPopupWidth = 360;
constexpr int kPopupHeight = 388;
constexpr int kDetailHeight = 44;
constexpr int kPage = 8;
constexpr int kRows = 10;      ///< that are seen at once
constexpr int kLeastRows = 4;  ///< have room while the list is shorter

}  // namespace

PickPopup::PickPopup(const QString& name, const QString& placeholder, QWidget* parent)
    : QFrame(parent),
      pattern_(new QLineEdit(this)),
      list_(new QListView(this)),
      rows_(new QStandardItemModel(this)),
      detail_(new QLabel(this)) {
    setObjectName(name);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    pattern_->setObjectName(name + QStringLiteral("Pattern"));
    pattern_->setPlaceholderText(placeholder);
    pattern_->setAccessibleName(placeholder);
    pattern_->addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    pattern_->installEventFilter(this);
    list_->setObjectName(name + QStringLiteral("List"));
    list_->setModel(rows_);
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
    resize(kPopupWidth, kPopupHeight);
    hide();
    connect(pattern_, &QLineEdit::textChanged, this, &PickPopup::refresh);
    connect(list_, &QListView::clicked, this, &PickPopup::takeCurrent);
    connect(list_, &QListView::entered, list_, &QListView::setCurrentIndex);
    connect(list_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            &PickPopup::showDetail);
}

void PickPopup::openAt(QPoint at) {
    pattern_->clear();
    refresh();
    placeWithin(at);
    show();
    raise();
    pattern_->setFocus(Qt::PopupFocusReason);
    showDetail();  // now it can be heard
}

void PickPopup::placeWithin(QPoint at) {
    const QSize room = parentWidget()->size();
    const int spare = std::max(0, kRows - std::max(kLeastRows, rows_->rowCount()));
    const int tall = kPopupHeight - spare * std::max(0, list_->sizeHintForRow(0));
    resize(std::min(kPopupWidth, room.width()), std::min(tall, room.height()));
    move(std::clamp(at.x(), 0, std::max(0, room.width() - width())),
         std::clamp(at.y(), 0, std::max(0, room.height() - height())));
}

void PickPopup::refresh() {
    rows_->clear();
    fill(*rows_, pattern_->text().trimmed());
    list_->setCurrentIndex(rows_->index(0, 0));
    showDetail();
}

void PickPopup::showDetail() {
    const QModelIndex current = list_->currentIndex();
    detail_->setText(detailOf(current.row()));
    if (isVisible()) {  // the focus stays in the line, so nobody else says which row it is
        announce(*pattern_, current.isValid() ? current.data().toString() : detail_->text());
    }
    Q_EMIT currentChanged(current.row());
}

void PickPopup::moveCurrent(int steps) {
    const int count = rows_->rowCount();
    if (count > 0) {
        const int row = std::clamp(list_->currentIndex().row() + steps, 0, count - 1);
        list_->setCurrentIndex(rows_->index(row, 0));
    }
}

void PickPopup::takeCurrent() {
    if (const int row = list_->currentIndex().row(); row >= 0) {
        take(row);
        hide();
    }
}

bool PickPopup::eventFilter(QObject* watched, QEvent* event) {
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

void PickPopup::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    Q_EMIT closed();
}

}  // namespace lowtide::ui
