#include "ui/editors/seed_editor.hpp"

#include "ui/document/edits.hpp"
#include "ui/editors/number_field.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QRandomGenerator>
#include <QToolButton>

namespace lowtide::ui {

SeedEditor::SeedEditor(const ParamDesc& param, QWidget* parent)
    : ValueEditor(param, parent), number_(new NumberField(param, this)) {
    number_->setObjectName("number");
    auto* die = new QToolButton(this);
    die->setObjectName("dice");
    die->setIcon(Theme::current().icon("dice"));
    die->setToolTip(tr("Another random seed"));
    die->setAccessibleName(die->toolTip());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::space(1));
    row->addWidget(number_, 1);
    row->addWidget(die);
    setFocusProxy(number_);
    connect(number_, &ParamEditor::edited, this, &SeedEditor::propose);
    connect(number_, &ParamEditor::dismissed, this, &ParamEditor::dismissed);
    connect(die, &QToolButton::clicked, this, &SeedEditor::throwDie);
}

void SeedEditor::showValue() {
    number_->setValue(value());
}

void SeedEditor::setProblem(const QString& problem) {
    number_->setProblem(problem);
}

void SeedEditor::begin() {
    number_->begin();
}

void SeedEditor::throwDie() {
    propose(drawnSeed(param(), QRandomGenerator::global()->generate64()), true);
    showValue();
}

}  // namespace lowtide::ui
