#include "ui/panels/storage_choices.hpp"

#include "ui/panels/token_colour.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QButtonGroup>
#include <QGridLayout>
#include <QLabel>
#include <QRadioButton>

namespace lowtide::ui {

namespace {

/// A storage of a later module has its name alone.
QString storageText(const std::string& storage) {
    if (storage == "f16") {
        return StorageChoices::tr("f16: every number in 16 bits");
    }
    if (storage == "f8") {
        return StorageChoices::tr("f8: matrices of the denoiser in 8 bits");
    }
    if (storage == "int8") {
        return StorageChoices::tr("int8: the same, with a scale for each row");
    }
    if (storage == "q8_0") {
        return StorageChoices::tr("q8_0: the denoiser alone in 8.5 bits, as GGUF");
    }
    if (storage == "q4_k") {
        return StorageChoices::tr("q4_k: the denoiser alone in 4.5 bits, as GGUF");
    }
    return QString::fromStdString(storage);
}

}  // namespace

StorageChoices::StorageChoices(QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), buttons_(new QButtonGroup(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(Theme::space(4));
    grid_->setVerticalSpacing(Theme::space(2));
    grid_->setColumnStretch(0, 1);
    connect(buttons_, &QButtonGroup::idToggled, this, [this](int, bool isChosen) {
        if (isChosen) {
            Q_EMIT changed();
        }
    });
}

void StorageChoices::setChoices(const std::vector<StorageChoice>& choices) {
    choices_ = choices;
    for (int row = 0; row < static_cast<int>(choices_.size()); ++row) {
        addRow(row);
    }
    for (QAbstractButton* button : buttons_->buttons()) {
        if (button->isEnabled()) {
            setFocusProxy(button);
            button->setChecked(true);
            return;
        }
    }
}

void StorageChoices::addRow(int row) {
    const StorageChoice& choice = choices_[static_cast<size_t>(row)];
    auto* button = new QRadioButton(storageText(choice.storage), this);
    button->setObjectName(QString::fromStdString(choice.storage));
    auto* size = new QLabel(this);
    size->setObjectName(button->objectName() + QStringLiteral("Size"));
    size->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setTextColour(*size, "text.muted");
    const QString now = bytesText(choice.sourceBytes);
    size->setText(choice.isSmaller() ? tr("%1, now %2").arg(bytesText(choice.bytes), now)
                                     : tr("not smaller, now %1").arg(now));
    button->setAccessibleDescription(size->text());
    button->setEnabled(choice.isSmaller());
    if (!choice.isSmaller()) {
        button->setToolTip(tr("The file would take %1.").arg(bytesText(choice.bytes)));
    }
    buttons_->addButton(button, row);
    grid_->addWidget(button, row, 0);
    grid_->addWidget(size, row, 1);
    button->show();  // a layout shows what comes later in a moment, when the focus is elsewhere
}

const StorageChoice* StorageChoices::chosen() const {
    const int row = buttons_->checkedId();
    return row < 0 ? nullptr : &choices_[static_cast<size_t>(row)];
}

}  // namespace lowtide::ui
