#include "ui/studio/several_dialog.hpp"

#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>

namespace lowtide::ui {

namespace {

constexpr int kUsual = 10;

}  // namespace

SeveralDialog::SeveralDialog(QWidget* parent)
    : QDialog(parent), count_(new QSpinBox(this)), seeds_(new QComboBox(this)) {
    setObjectName(QStringLiteral("several"));
    setWindowTitle(tr("Run several times"));
    count_->setObjectName(QStringLiteral("count"));
    count_->setRange(1, kMost);
    count_->setValue(kUsual);
    count_->selectAll();
    seeds_->setObjectName(QStringLiteral("seeds"));
    seeds_->addItem(tr("A new one each time"), static_cast<int>(SeveralSeeds::Random));
    seeds_->addItem(tr("One more each time"), static_cast<int>(SeveralSeeds::Counting));
    seeds_->addItem(tr("As the nodes say"), static_cast<int>(SeveralSeeds::AsNodesSay));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* run = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    run->setObjectName(QStringLiteral("run"));
    run->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* form = new QFormLayout(this);
    form->setHorizontalSpacing(Theme::space(3));
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(tr("Times"), count_);
    form->addRow(tr("Seed"), seeds_);
    form->addRow(buttons);
}

int SeveralDialog::count() const {
    return count_->value();
}

SeveralSeeds SeveralDialog::seeds() const {
    return static_cast<SeveralSeeds>(seeds_->currentData().toInt());
}

}  // namespace lowtide::ui
