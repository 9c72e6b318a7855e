#include "ui/panels/component_chips.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

QString chipText(const HeldComponent& component) {
    return ComponentChips::tr("%1\n%3, %2")
        .arg(moduleWord(QString::fromStdString(component.role)),
             deviceText(component.device),
             bytesText(component.bytes));
}

}  // namespace

std::vector<HeldComponent> heldComponents(const Json& ledger) {
    std::vector<HeldComponent> held;
    if (!ledger.is_object()) {
        return held;
    }
    for (const auto& [device, entry] : ledger.items()) {
        const Json& owners = memberIn(entry, "owners");
        for (auto owner = owners.begin(); owner != owners.end(); ++owner) {
            if (const Bytes bytes = bytesIn(owner.value(), "weights"); bytes > 0) {
                held.push_back({owner.key(), device, bytes});
            }
        }
    }
    return held;
}

ComponentChips::ComponentChips(QWidget* parent) : QWidget(parent), rows_(new QVBoxLayout(this)) {
    setObjectName("components");
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(Theme::space(1));
    rebuild();
}

void ComponentChips::setComponents(const std::vector<HeldComponent>& components) {
    const bool hasSameChips =
        std::equal(components.begin(),
                   components.end(),
                   components_.begin(),
                   components_.end(),
                   [](const auto& left, const auto& right) {
                       return left.role == right.role && left.device == right.device;
                   });
    components_ = components;
    if (!hasSameChips) {
        rebuild();
        return;
    }
    for (size_t i = 0; i < labels_.size(); ++i) {
        labels_[i]->setText(chipText(components_[i]));
    }
}

void ComponentChips::setPossible(bool isIdle, bool canUnload) {
    if (isIdle != isIdle_ || canUnload != canUnload_) {
        isIdle_ = isIdle;
        canUnload_ = canUnload;
        rebuild();
    }
}

QWidget* ComponentChips::makeChip(const HeldComponent& component) {
    auto* chip = new QWidget(this);
    chip->setObjectName(QString::fromStdString("chip_" + component.role));
    auto* row = new QHBoxLayout(chip);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::space(1));
    auto* name = new QLabel(chipText(component), chip);
    labels_.push_back(name);
    row->addWidget(name, 1);
    const auto addButton = [&](const QString& text, const QString& tip, const char* id) {
        auto* button = new QToolButton(chip);
        button->setObjectName(id);
        button->setText(text);
        button->setToolTip(isIdle_ ? tip : tr("Available when the run has ended"));
        button->setEnabled(isIdle_);
        row->addWidget(button);
        return button;
    };
    const std::string role = component.role;
    auto* offload = addButton(
        tr("Offload"), tr("Off the device; its files stay open for the next run"), "offload");
    connect(offload, &QToolButton::clicked, this, [this, role] { Q_EMIT offloadRequested(role); });
    if (canUnload_) {
        auto* unload =
            addButton(tr("Unload"), tr("Off the device, and its files are closed"), "unload");
        connect(
            unload, &QToolButton::clicked, this, [this, role] { Q_EMIT unloadRequested(role); });
    }
    return chip;
}

void ComponentChips::rebuild() {
    labels_.clear();
    while (QLayoutItem* item = rows_->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();  // else the layout still shows it, as a window, where it is that new
            widget->setParent(nullptr);
            widget->deleteLater();  // a chip that was clicked lives until its signal is over
        }
        delete item;
    }
    for (const HeldComponent& component : components_) {
        rows_->addWidget(makeChip(component));
    }
    if (components_.empty()) {
        auto* none = new QLabel(tr("No component is on a device. \"keep\" in a memory policy keeps "
                                   "one for the next run."),
                                this);
        none->setObjectName("noComponents");
        none->setWordWrap(true);
        rows_->addWidget(none);
    }
}

}  // namespace lowtide::ui
