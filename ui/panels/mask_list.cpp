#include "ui/panels/mask_list.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QKeyEvent>
#include <QListWidget>
#include <QPixmap>
#include <QToolButton>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kRowsInSight = 3;  ///< as high as that with one mask, too: nothing below moves

QIcon swatchOf(const QColor& colour, int side) {
    QPixmap pixmap(side, side);
    pixmap.fill(colour);
    return pixmap;
}

}  // namespace

MaskList::MaskList(QWidget* parent)
    : QWidget(parent),
      list_(named("maskList", new QListWidget(this))),
      add_(makeIconButton("plus", tr("Add a mask"), "maskAdd", this)),
      delete_(
          makeIconButton("trash", tr("Delete this mask (Del in the list)"), "maskDelete", this)) {
    list_->setAccessibleName(tr("Masks of the image"));
    list_->setToolTip(
        tr("Click a mask to paint it, double-click it or press F2 to rename it. Its box shows it "
           "over the image."));
    list_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    list_->setUniformItemSizes(true);
    const int side = list_->fontMetrics().height();
    list_->setIconSize(QSize(side * 2 / 3, side * 2 / 3));
    list_->setFixedHeight(kRowsInSight * (side + Theme::space(2)) + 2 * list_->frameWidth());
    list_->installEventFilter(this);
    for (QWidget* each : {static_cast<QWidget*>(list_),
                          static_cast<QWidget*>(add_),
                          static_cast<QWidget*>(delete_)}) {
        each->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with the image
    }
    rowIn(this, 1, {{list_, 1}, {add_, 0, Qt::AlignTop}, {delete_, 0, Qt::AlignTop}});
    connect(add_, &QToolButton::clicked, this, &MaskList::addAsked);
    connect(delete_, &QToolButton::clicked, this, &MaskList::deleteAsked);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (!isShowing_ && row >= 0) {
            Q_EMIT chosen(row);
        }
    });
    connect(list_, &QListWidget::itemChanged, this, &MaskList::take);
}

void MaskList::showMasks(const std::vector<MaskRow>& rows, int current, bool canAdd) {
    isShowing_ = true;
    const std::vector<MaskRow> before = std::exchange(rows_, rows);
    const int count = static_cast<int>(rows.size());
    while (list_->count() > count) {
        delete list_->takeItem(list_->count() - 1);
    }
    while (list_->count() < count) {
        auto* item = new QListWidgetItem(list_);
        item->setFlags(item->flags() | Qt::ItemIsEditable | Qt::ItemIsUserCheckable);
    }
    for (size_t row = 0; row < rows.size(); ++row) {
        QListWidgetItem& item = *list_->item(static_cast<int>(row));
        item.setText(rows[row].name);
        item.setCheckState(rows[row].isShown ? Qt::Checked : Qt::Unchecked);
        if (row >= before.size() || before[row].colour != rows[row].colour) {
            item.setIcon(swatchOf(rows[row].colour, list_->iconSize().width()));
        }
    }
    list_->setCurrentRow(current);
    add_->setEnabled(canAdd);
    delete_->setEnabled(count > 1);
    isShowing_ = false;
}

/// An empty name is none: the row gets its name back.
void MaskList::take(QListWidgetItem* item) {
    const int row = list_->row(item);
    if (isShowing_ || row < 0 || row >= static_cast<int>(rows_.size())) {
        return;
    }
    const MaskRow before = rows_[static_cast<size_t>(row)];
    const bool isShown = item->checkState() == Qt::Checked;
    if (isShown != before.isShown) {
        Q_EMIT shownAsked(row, isShown);
    } else if (item->text() != before.name) {
        Q_EMIT renamed(row, item->text().trimmed());
    }
}

bool MaskList::eventFilter(QObject* watched, QEvent* event) {
    const bool isDelete = watched == list_ && event->type() == QEvent::KeyPress &&
                          static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete;
    if (isDelete && delete_->isEnabled()) {
        Q_EMIT deleteAsked();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace lowtide::ui
