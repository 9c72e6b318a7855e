#include "ui/panels/inspector_graph.hpp"

#include "plugin/base/units.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/panels/budget_text.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>

namespace lowtide::ui {

namespace {

constexpr int kUsualThreshold = 70;  ///< percent, as runs have it where the graph says nothing

QString statedText(const std::optional<std::string>& value) {
    return QString::fromStdString(value.value_or(std::string()));
}

std::optional<std::string> statedOf(const QString& text) {
    return text.isEmpty() ? std::nullopt : std::optional(text.toStdString());
}

/// Shows the stated value, also one that is not among the choices.
void choose(QComboBox& box, const QString& value) {
    const QSignalBlocker quiet(&box);
    if (box.findData(value) < 0) {
        box.addItem(deviceText(value.toStdString()), value);
    }
    box.setCurrentIndex(box.findData(value));
}

}  // namespace

InspectorGraph::InspectorGraph(GraphModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      budget_(new QLineEdit(this)),
      budgetProblem_(new QLabel(this)),
      device_(new QComboBox(this)),
      lowMemory_(new QComboBox(this)),
      ownThreshold_(new QCheckBox(tr("Set here"), this)),
      threshold_(new QSpinBox(this)),
      exact_(new QCheckBox(tr("Refuse every lossy choice"), this)) {
    setObjectName(QStringLiteral("inspectorGraph"));
    buildRows();
    connectRows();
    setDevices({});
    refresh();
}

void InspectorGraph::buildRows() {
    budget_->setObjectName(QStringLiteral("budget"));
    budget_->setPlaceholderText(tr("Free memory less 5 %"));
    budget_->setToolTip(tr("Most bytes that a run may hold on its device: 6GiB, 800MiB"));
    budgetProblem_->setObjectName(QStringLiteral("problem"));
    budgetProblem_->setWordWrap(true);
    budgetProblem_->setForegroundRole(QPalette::BrightText);
    budgetProblem_->hide();
    device_->setObjectName(QStringLiteral("device"));
    device_->setToolTip(tr("Where networks run, unless a node says otherwise"));
    lowMemory_->setObjectName(QStringLiteral("lowMemory"));
    lowMemory_->addItem(tr("Automatic"), QString());
    lowMemory_->addItem(tr("On"), QStringLiteral("on"));
    lowMemory_->addItem(tr("Off"), QStringLiteral("off"));
    lowMemory_->setToolTip(
        tr("On: collects what is unused after every stage. Automatic: on devices up to 8 GiB."));
    threshold_->setObjectName(QStringLiteral("threshold"));
    threshold_->setRange(0, 100);
    threshold_->setSuffix(tr(" %"));
    threshold_->setToolTip(tr("Memory is collected between stages when it is this full"));
    exact_->setObjectName(QStringLiteral("exact"));
    exact_->setToolTip(tr("A node that trades precision or steps for speed is refused by name"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Theme::space(3));
    form->setVerticalSpacing(Theme::space(2));
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->addRow(tr("Memory budget"), budget_);
    form->addRow(QString(), budgetProblem_);
    form->addRow(tr("Device"), device_);
    form->addRow(tr("Low-memory mode"), lowMemory_);
    auto* collect = new QHBoxLayout;
    collect->setSpacing(Theme::space(2));
    collect->addWidget(ownThreshold_);
    collect->addWidget(threshold_, 1);
    threshold_->setAccessibleName(tr("Collect memory at"));
    ownThreshold_->setAccessibleName(
        tr("%1: %2").arg(threshold_->accessibleName(), ownThreshold_->text()));
    form->addRow(threshold_->accessibleName(), collect);
    form->addRow(tr("Exact"), exact_);
}

void InspectorGraph::connectRows() {
    EditSession::watch(*budget_, [this] { return setBudget(); });
    connect(device_, &QComboBox::activated, this, &InspectorGraph::setDevice);
    connect(lowMemory_, &QComboBox::activated, this, [this] {
        const auto value = statedOf(lowMemory_->currentData().toString());
        model_.apply(tr("Low-memory mode"),
                     [&](graph::Document& document) { document.lowMemory = value; });
    });
    connect(ownThreshold_, &QCheckBox::clicked, this, [this](bool isSet) {
        model_.apply(tr("Change when memory is collected"), [&](graph::Document& document) {
            document.collectionThreshold =
                isSet ? std::optional<int64_t>(threshold_->value()) : std::nullopt;
        });
    });
    connect(threshold_, &QSpinBox::valueChanged, this, [this](int percent) {
        model_.apply(
            tr("Change when memory is collected"),
            [&](graph::Document& document) { document.collectionThreshold = percent; },
            QStringLiteral("graph:threshold"));
    });
    connect(threshold_, &QSpinBox::editingFinished, this, [this] { model_.endMerging(); });
    connect(exact_, &QCheckBox::clicked, this, [this](bool isOn) {
        model_.apply(tr("Change exact"), [&](graph::Document& document) {
            document.isExact = isOn ? std::optional(true) : std::nullopt;
        });
    });
}

void InspectorGraph::setDevices(const std::vector<std::string>& devices) {
    if (devices_ == devices) {
        return;  // the list may be open
    }
    devices_ = devices;
    const QSignalBlocker quiet(device_);
    device_->clear();
    device_->addItem(tr("Automatic"), QString());
    for (const std::string& device : devices) {
        device_->addItem(deviceText(device), QString::fromStdString(device));
    }
    choose(*device_, statedText(model_.document().device));
}

void InspectorGraph::refresh() {
    const graph::Document& document = model_.document();
    EditSession::showUnlessTyped(*budget_, statedText(document.memoryBudget));
    choose(*device_, statedText(document.device));
    const QString lowMemory = statedText(document.lowMemory);
    choose(*lowMemory_, lowMemory == QLatin1String("auto") ? QString() : lowMemory);
    const QSignalBlocker quiet(threshold_);
    ownThreshold_->setChecked(document.collectionThreshold.has_value());
    threshold_->setEnabled(document.collectionThreshold.has_value());
    EditSession::showUnlessTyped(
        *threshold_, static_cast<int>(document.collectionThreshold.value_or(kUsualThreshold)));
    exact_->setChecked(document.isExact.value_or(false));
}

void InspectorGraph::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !budget_->isModified()) {
        QWidget::keyPressEvent(event);
        return;
    }
    forgetTyped();
}

void InspectorGraph::forgetTyped() {
    budget_->setModified(false);
    budgetProblem_->hide();
    refresh();
}

bool InspectorGraph::setBudget() {
    const QString text = budget_->text().trimmed();
    budgetProblem_->setText(budgetProblem(text));
    budgetProblem_->setVisible(!budgetProblem_->text().isEmpty());
    if (!budgetProblem_->text().isEmpty()) {
        return false;
    }
    model_.apply(tr("Change the memory budget"),
                 [&](graph::Document& document) { document.memoryBudget = statedOf(text); });
    return true;
}

void InspectorGraph::setDevice() {
    const auto value = statedOf(device_->currentData().toString());
    model_.apply(tr("Change the device"),
                 [&](graph::Document& document) { document.device = value; });
}

}  // namespace lowtide::ui
