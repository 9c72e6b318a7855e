#include "ui/editors/type_rows.hpp"

#include "ui/editors/choice_box.hpp"
#include "ui/editors/rows.hpp"

#include <QFormLayout>

namespace lowtide::ui {

namespace {

constexpr const char* kFile = "file";

QString shownName(const std::optional<DType>& type) {
    return type ? QString::fromStdString(memory::shortNameOf(*type)) : QString();
}

std::optional<DType> typeOf(const QString& name) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
        if (name == shownName(type)) {
            return type;
        }
    }
    return std::nullopt;
}

void addType(ChoiceBox& box, DType type) {
    box.addItem(shownName(type), shownName(type));
}

}  // namespace

TypeRows::TypeRows(QWidget* parent)
    : QWidget(parent), storage_(new ChoiceBox(this)), compute_(new ChoiceBox(this)) {
    storage_->setObjectName("storage");
    compute_->setObjectName("compute");
    storage_->addItem(tr("as in the preset"), QString());
    storage_->addItem(tr("as in the file"), QString(kFile));
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
        addType(*storage_, type);
    }
    compute_->addItem(tr("as in the preset"), QString());
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        addType(*compute_, type);
    }
    storage_->setToolTip(tr("The type of weights on the device"));
    compute_->setToolTip(tr("The type in which the network computes"));
    QFormLayout* form = makeForm(this);
    addRow(form, tr("Storage"), storage_);
    addRow(form, tr("Compute"), compute_);
    connect(storage_, &QComboBox::activated, this, [this](int index) {
        const QString chosen = storage_->itemData(index).toString();
        types_.storesAsInFile = chosen == kFile;
        types_.storage = types_.storesAsInFile ? std::nullopt : typeOf(chosen);
        Q_EMIT edited(types_);
    });
    connect(compute_, &QComboBox::activated, this, [this](int index) {
        types_.compute = typeOf(compute_->itemData(index).toString());
        Q_EMIT edited(types_);
    });
}

void TypeRows::setTypes(const memory::PrecisionTypes& types) {
    types_ = types;
    const QString storage = types.storesAsInFile ? QString(kFile) : shownName(types.storage);
    storage_->showItem(storage, storage);
    compute_->showItem(shownName(types.compute), shownName(types.compute));
}

}  // namespace lowtide::ui
