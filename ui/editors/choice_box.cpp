#include "ui/editors/choice_box.hpp"

#include <QAbstractItemView>
#include <QStandardItemModel>
#include <QWheelEvent>

namespace lowtide::ui {

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
}

void ChoiceBox::showItem(const QVariant& id, const QString& textOtherwise) {
    const int index = findData(id);
    setPlaceholderText(index < 0 ? textOtherwise : QString());
    setCurrentIndex(index);
}

void ChoiceBox::setRefusal(int index, const QString& reason) {
    auto* rows = qobject_cast<QStandardItemModel*>(model());
    if (QStandardItem* item = rows ? rows->item(index) : nullptr) {
        item->setEnabled(reason.isEmpty());
        if (!reason.isEmpty()) {
            item->setToolTip(reason);
        }
    }
}

std::vector<SearchItem> ChoiceBox::items() const {
    std::vector<SearchItem> items;
    for (int i = 0; i < count(); ++i) {
        const bool isEnabled = model()->flags(model()->index(i, 0)) & Qt::ItemIsEnabled;
        items.push_back(
            {itemText(i), QString(), isEnabled, itemData(i, Qt::ToolTipRole).toString()});
    }
    return items;
}

void ChoiceBox::showPopup() {
    if (count() < kSearchableFrom) {
        view()->setMinimumWidth(view()->sizeHintForColumn(0) +  // as wide as its texts are
                                2 * view()->frameWidth());
        return QComboBox::showPopup();
    }
    auto* list = new SearchList(items(), this);
    connect(list, &SearchList::chosen, this, [this](int index) {
        setCurrentIndex(index);
        Q_EMIT activated(index);
    });
    list->openAt(*this, currentIndex());
}

void ChoiceBox::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

}  // namespace lowtide::ui
