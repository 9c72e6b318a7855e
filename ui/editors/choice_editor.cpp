#include "ui/editors/choice_editor.hpp"

#include "ui/editors/picker.hpp"

#include <QAbstractItemView>
#include <QHBoxLayout>
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

void ChoiceBox::showPopup() {
    if (count() < kSearchableFrom) {
        view()->setMinimumWidth(view()->sizeHintForColumn(0) +  // as wide as its texts are
                                2 * view()->frameWidth());
        return QComboBox::showPopup();
    }
    std::vector<SearchItem> items;
    for (int i = 0; i < count(); ++i) {
        const bool isEnabled = model()->flags(model()->index(i, 0)) & Qt::ItemIsEnabled;
        items.push_back({.label = itemText(i),
                         .tooltip = itemData(i, Qt::ToolTipRole).toString(),
                         .isEnabled = isEnabled,
                         .choose = [this, i] {
                             setCurrentIndex(i);
                             Q_EMIT activated(i);
                         }});
    }
    (new SearchList(std::move(items), this))->openAt(*this, currentIndex());
}

void ChoiceBox::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

ChoiceEditor::ChoiceEditor(const ParamDesc& param, QWidget* parent)
    : ParamEditor(param, parent), box_(new ChoiceBox(this)) {
    box_->setObjectName("choices");
    box_->setAccessibleName(accessibleName());
    for (const ChoiceDesc& choice : param.choices) {
        box_->addItem(QString::fromStdString(choice.label), QString::fromStdString(choice.id));
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(box_);
    setFocusProxy(box_);
    connect(box_, &QComboBox::activated, this, [this](int index) {
        box_->setPlaceholderText(QString());
        propose(box_->itemData(index).toString().toStdString(), true);
        Q_EMIT dismissed();
    });
}

void ChoiceEditor::showValue() {
    const Json value = this->value();
    const QString text = value.is_null() ? QStringLiteral("null") : plainText(value);
    box_->showItem(text, text);
}

void ChoiceEditor::begin() {
    box_->setFocus(Qt::OtherFocusReason);
    box_->showPopup();
}

}  // namespace lowtide::ui
