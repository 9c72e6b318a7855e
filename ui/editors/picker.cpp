#include "ui/editors/picker.hpp"

#include "ui/access/announce.hpp"
#include "ui/theme/theme.hpp"

#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kMostRows = 12;
constexpr int kSearchRow = 24;
constexpr int kLeastWidth = 220;

}  // namespace

Picker::Picker(
    const QString& placeholder, int space, Fill fill, QWidget* parent, Qt::WindowFlags flags)
    : QFrame(parent, flags),
      fill_(std::move(fill)),
      field_(new QLineEdit(this)),
      list_(new QListView(this)),
      rows_(new QStandardItemModel(this)) {
    field_->setPlaceholderText(placeholder);
    field_->setAccessibleName(placeholder);
    field_->installEventFilter(this);
    list_->setModel(rows_);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space, space, space, space);
    column->setSpacing(space);
    column->addWidget(field_);
    column->addWidget(list_, 1);
    connect(field_, &QLineEdit::textChanged, this, &Picker::refresh);
    connect(list_, &QListView::clicked, this, &Picker::take);
    connect(list_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            [this](const QModelIndex& current) { Q_EMIT currentChanged(current.row()); });
}

void Picker::refresh() {
    rows_->clear();
    fill_(*rows_, field_->text().trimmed());
    for (int row = 0; row < rows_->rowCount(); ++row) {
        if (rows_->item(row)->isEnabled()) {
            list_->setCurrentIndex(rows_->index(row, 0));
            return;
        }
    }
    Q_EMIT currentChanged(-1);
}

void Picker::take(const QModelIndex& row) {
    if (row.flags() & Qt::ItemIsEnabled) {
        Q_EMIT taken(row.row());
    }
}

void Picker::announceCurrent(const QString& otherwise) {
    const QModelIndex current = list_->currentIndex();
    announce(*field_, current.isValid() ? current.data().toString() : otherwise);
}

bool Picker::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress) {
        return QFrame::eventFilter(watched, event);
    }
    int key = static_cast<QKeyEvent*>(event)->key();
    if (list_->focusPolicy() == Qt::NoFocus) {  // Tab has nowhere else to go
        key = key == Qt::Key_Tab ? Qt::Key_Down : key == Qt::Key_Backtab ? Qt::Key_Up : key;
    }
    switch (key) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown: {
            QKeyEvent step(QEvent::KeyPress, key, Qt::NoModifier);
            // Not sent: at its ends the list would leave it to what lies behind.
            static_cast<QObject*>(list_)->event(&step);
            return true;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter:
            take(list_->currentIndex());
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

SearchList::SearchList(std::vector<SearchItem> items, QWidget* parent)
    : Picker(
          tr("Search"),
          Theme::space(1),
          [this](QStandardItemModel& rows, const QString& words) { fill(rows, words); },
          parent,
          Qt::Popup),
      items_(std::move(items)) {
    setObjectName("searchList");
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    field().setObjectName("search");
    field().addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    list().setObjectName("list");
    list().setFrameShape(QFrame::NoFrame);
    list().setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list().setTextElideMode(Qt::ElideMiddle);
    list().setFocusPolicy(Qt::NoFocus);
    fill(rows(), {});
    connect(this, &Picker::currentChanged, this, [this](int row) {
        const int item = row < 0 ? -1 : rows().item(row)->data().toInt();
        if (std::exchange(announced_, item) != item) {
            announceCurrent(tr("Nothing matches"));
        }
    });
    connect(this, &Picker::taken, this, [this](int row) {
        const auto choose = items_.at(rows().item(row)->data().toUInt()).choose;
        close();
        choose();
    });
}

void SearchList::fill(QStandardItemModel& rows, const QString& words) const {
    for (size_t i = 0; i < items_.size(); ++i) {
        const SearchItem& item = items_[i];
        if (!hasWords(item.label + QLatin1Char(' ') + item.detail, words)) {
            continue;
        }
        const QString text =
            item.detail.isEmpty() ? item.label : tr("%1 – %2").arg(item.label, item.detail);
        auto* row = new QStandardItem(text);
        row->setToolTip(item.tooltip.isEmpty() ? text : item.tooltip);
        row->setEnabled(item.isEnabled);
        row->setData(static_cast<int>(i));
        rows.appendRow(row);
    }
}

void SearchList::openAt(const QWidget& anchor, int current) {
    const int count = std::clamp(rows().rowCount(), 1, kMostRows);
    resize(std::max(anchor.width(), kLeastWidth),
           field().sizeHint().height() + count * kSearchRow + Theme::space(5));
    moveBelow(*this, {anchor.mapToGlobal(QPoint()), anchor.size()}, anchor);
    // A row that cannot be taken states its reason; the list itself would leave it out.
    list().selectionModel()->setCurrentIndex(rows().index(current, 0),
                                             QItemSelectionModel::ClearAndSelect);
    show();
    list().scrollTo(list().currentIndex(), QAbstractItemView::PositionAtCenter);
    field().setFocus(Qt::PopupFocusReason);
}

bool hasWords(const QString& text, const QString& words) {
    const QStringList each = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(each.begin(), each.end(), [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

void moveBelow(QWidget& list, const QRect& anchor, const QWidget& owner) {
    QPoint at(anchor.left(), anchor.top() + anchor.height());
    if (const QScreen* screen = owner.screen()) {
        const QRect area = screen->availableGeometry();
        if (at.y() + list.height() > area.bottom()) {
            at.setY(anchor.top() - list.height());
        }
        at.setX(
            std::clamp(at.x(), area.left(), std::max(area.left(), area.right() - list.width())));
        at.setY(std::max(at.y(), area.top()));
    }
    list.move(at);
}

}  // namespace lowtide::ui
