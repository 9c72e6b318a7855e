#include "ui/editors/choice_editor.hpp"

#include "ui/editors/choice_box.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>

namespace lowtide::ui {

ChoiceEditor::ChoiceEditor(const ParamDesc& param, QWidget* parent)
    : ValueEditor(param, parent), box_(new ChoiceBox(this)) {
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

QWidget* ChoiceEditor::markedWidget() {
    return box_;
}

void ChoiceEditor::showValue() {
    const Json value = this->value();
    const QString text =
        value.is_string()
            ? QString::fromStdString(value.get<std::string>())
            : QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    box_->showItem(text, text);
}

void ChoiceEditor::begin() {
    box_->setFocus(Qt::OtherFocusReason);
    box_->showPopup();
}

void ChoiceEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT dismissed();
        return;
    }
    ValueEditor::keyPressEvent(event);
}

}  // namespace lowtide::ui
