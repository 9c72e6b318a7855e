#include "ui/panels/inspector_row.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/panels/icon_button.hpp"
#include "ui/panels/vary_menu.hpp"
#include "ui/theme/theme.hpp"

#include <QContextMenuEvent>
#include <QGridLayout>
#include <QSignalBlocker>

namespace lowtide::ui {

namespace {

constexpr int kNameWidth = 112;

QToolButton* smallButton(const char* icon, const char* name, QWidget* parent) {
    QToolButton* button = makeIconButton(icon, {}, name, parent);
    button->setIcon(Theme::current().icon(icon, "text.muted"));
    button->setFixedSize(Theme::space(6), Theme::space(6));
    return button;
}

}  // namespace

InspectorRow::InspectorRow(const NodeDesc& node,
                           const ParamDesc& param,
                           const OfferedFiles* offered,
                           QWidget* parent)
    : QWidget(parent),
      label_(QString::fromStdString(param.label)),
      name_(new QLabel(label_, this)),
      mixed_(new QLabel(tr("different values"), this)),
      editor_(makeParamEditor(node, param, offered, this)),
      reset_(smallButton("undo", "reset", this)),
      expose_(smallButton("eye", "expose", this)) {
    setObjectName(QString::fromStdString(param.id));
    const QString tip = QString::fromStdString(param.tooltip);
    name_->setToolTip(tip);
    name_->setWordWrap(true);
    name_->setBuddy(editor_);
    editor_->setToolTip(tip);
    editor_->setAccessibleName(label_);
    mixed_->setObjectName(QStringLiteral("mixed"));
    mixed_->setForegroundRole(QPalette::PlaceholderText);
    mixed_->setFont(Theme::current().font("small"));
    mixed_->hide();
    reset_->setToolTip(
        tr("Back to the default: %1").arg(valueText(param, graph::toJson(param.defaultValue))));
    reset_->setAccessibleName(tr("Restore the default of %1").arg(label_));
    expose_->setAccessibleName(tr("Show %1 in Generate").arg(label_));
    expose_->setCheckable(true);
    if (param.kind == ParamKind::Seed) {
        buildSeedMode();
    }
    arrange(param.multiline);
    connect(editor_, &ParamEditor::edited, this, &InspectorRow::edited);
    connect(reset_, &QToolButton::clicked, this, &InspectorRow::resetAsked);
    connect(expose_, &QToolButton::clicked, this, &InspectorRow::exposeAsked);
}

void InspectorRow::buildSeedMode() {
    seedMode_ = new QComboBox(this);
    seedMode_->setObjectName(QStringLiteral("seedMode"));
    seedMode_->addItem(tr("Keep"), static_cast<int>(SeedMode::Keep));
    seedMode_->addItem(tr("Random"), static_cast<int>(SeedMode::Random));
    seedMode_->addItem(tr("Count up"), static_cast<int>(SeedMode::Increment));
    seedMode_->setToolTip(
        tr("What happens to the seed when you press Run. The seed that is shown is the one that "
           "is used."));
    connect(seedMode_, &QComboBox::activated, this, [this] {
        Q_EMIT seedModeChosen(static_cast<SeedMode>(seedMode_->currentData().toInt()));
    });
}

void InspectorRow::arrange(bool isTall) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Theme::space(1));
    grid->setVerticalSpacing(Theme::space(1));
    grid->setColumnStretch(1, 1);
    grid->addWidget(name_, 0, 0);
    grid->addWidget(reset_, 0, 2, Qt::AlignTop);
    grid->addWidget(expose_, 0, 3, Qt::AlignTop);
    if (isTall) {
        grid->addWidget(mixed_, 0, 1);
        grid->addWidget(editor_, 1, 0, 1, 4);
    } else {
        name_->setFixedWidth(kNameWidth);
        grid->addWidget(editor_, 0, 1);
        grid->addWidget(mixed_, 1, 1);
    }
    if (seedMode_) {
        grid->addWidget(seedMode_, 2, 1);
    }
}

/// Also of parts of the editor that have no menu of their own.
void InspectorRow::contextMenuEvent(QContextMenuEvent* event) {
    event->setAccepted(offersSheets_);
    if (offersSheets_) {
        showVaryMenu(
            *this, event->globalPos(), [this](bool areRows) { Q_EMIT varyAsked(areRows); });
    }
}

void InspectorRow::setState(const RowState& state) {
    if (editor_->value() != state.value) {
        editor_->setValue(state.value);
    }
    editor_->setProblem(state.problem);
    mixed_->setVisible(state.isMixed);
    reset_->setVisible(!state.isDefault);
    QSizePolicy kept = reset_->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    reset_->setSizePolicy(kept);
    const QSignalBlocker blocked(expose_);
    expose_->setChecked(state.isExposed);
    expose_->setIcon(Theme::current().icon("eye", state.isExposed ? "accent" : "text.muted"));
    expose_->setToolTip(state.isExposed ? tr("Shown under Generate; click to remove it")
                                        : tr("Show %1 under Generate").arg(label_));
    if (seedMode_) {
        const QSignalBlocker quiet(seedMode_);
        seedMode_->setCurrentIndex(seedMode_->findData(static_cast<int>(state.seedMode)));
    }
}

}  // namespace lowtide::ui
