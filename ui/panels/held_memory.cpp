#include "ui/panels/held_memory.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFontMetricsF>
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

constexpr int kGaugeText = Theme::space(5);
constexpr int kGaugeBar = Theme::space(3);

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

ComponentChips::ComponentChips(QWidget* parent) : QWidget(parent), rows_(columnIn(this, 1, {})) {
    setObjectName("components");
    rebuild();
}

void ComponentChips::setComponents(const std::vector<HeldComponent>& components) {
    const bool hasSameChips =
        std::ranges::equal(components, components_, [](const auto& left, const auto& right) {
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
    auto* chip = named(QString::fromStdString("chip_" + component.role), new QWidget(this));
    auto* name = new QLabel(chipText(component), chip);
    labels_.push_back(name);
    QBoxLayout* row = rowIn(chip, 1, {{name, 1}});
    const auto addButton = [&](const QString& text, const QString& tip, const char* id) {
        auto* button = named(id, new QToolButton(chip));
        button->setText(text);
        button->setToolTip(isIdle_ ? tip : tr("Available when the run has ended"));
        button->setEnabled(isIdle_);
        row->addWidget(button);
        return button;
    };
    const std::string role = component.role;
    auto* offload = addButton(
        tr("Offload"), tr("Off the device; its files remain open for the next run"), "offload");
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
        rows_->addWidget(
            makeText(tr("No component is on a device. \"keep\" in a memory policy keeps one for "
                        "the next run."),
                     "noComponents",
                     this));
    }
}

HeldNow heldNow(const Json& ledger, const Json& devices, const std::string& device) {
    const Json& held = memberIn(ledger, device.c_str());
    const Json& tags = memberIn(held, "tags");
    HeldNow now{.device = deviceText(device),
                .weights = bytesIn(tags, "weights"),
                .activations = bytesIn(tags, "activations") + bytesIn(tags, "workspace"),
                .wires = bytesIn(tags, "wires"),
                .caches = bytesIn(tags, "cache"),
                .staging = bytesIn(tags, "staging")};
    for (const Json& each : devices) {
        if (textIn(each, "id") == device) {
            now.capacity = bytesIn(each, "capacity");
            // A rehearsing card is ours alone.
            now.others =
                textIn(each, "kind") == "fake"
                    ? 0
                    : std::max<Bytes>(0, now.capacity - bytesIn(each, "free") - now.ours());
        }
    }
    // A card that is rehearsed has the size of the run's, not the one that could be opened.
    if (const Bytes opened = bytesIn(held, "capacity"); opened > 0) {
        now.capacity = opened;
    }
    return now;
}

MemoryGauge::MemoryGauge(const char* name, QWidget* parent) : Chart(name, parent) {
    setAccessibleName(tr("Memory now"));
}

QString MemoryGauge::spokenText() const {
    return held_.device + u'\n' + sumText() + u'\n' + tipAt({});
}

QString MemoryGauge::sumText() const {
    const Bytes bound = held_.budget > 0 ? held_.budget : held_.capacity;
    const QString text = bound > 0 ? tr("%1 of %2").arg(bytesText(held_.ours()), bytesText(bound))
                                   : bytesText(held_.ours());
    return held_.others > 0 ? text + tr(", others %1").arg(bytesText(held_.others)) : text;
}

void MemoryGauge::setHeld(const HeldNow& held) {
    held_ = held;
    refresh();
}

int MemoryGauge::heightNeeded() const {
    return kGaugeText + kGaugeBar + legendHeight(width(), legend());
}

std::vector<LegendEntry> MemoryGauge::legend() const {
    std::vector<LegendEntry> entries;
    for (const Part& part : parts()) {
        if (part.bytes > 0) {
            entries.push_back({Theme::current().colour(part.colour), part.name, false});
        }
    }
    return entries;
}

/// What others hold is not in our budget.
std::vector<MemoryGauge::Part> MemoryGauge::parts() const {
    return {{held_.weights, "chart.weights", tr("weights")},
            {held_.activations, "chart.activations", tr("activations")},
            {held_.wires, "chart.wires", tr("wires")},
            {held_.caches, "chart.caches", tr("kept results")},
            {held_.staging, "chart.staging", tr("staging")},
            {held_.budget > 0 ? 0 : held_.others, "chart.other", tr("other programs")}};
}

QString MemoryGauge::tipAt(QPointF) const {
    QStringList lines = {tr("weights %1").arg(bytesText(held_.weights)),
                         tr("activations %1").arg(bytesText(held_.activations)),
                         tr("wires %1").arg(bytesText(held_.wires)),
                         tr("kept results %1").arg(bytesText(held_.caches)),
                         tr("staging %1").arg(bytesText(held_.staging))};
    if (held_.others > 0) {
        lines.push_back(tr("other programs %1").arg(bytesText(held_.others)));
    }
    return lines.join('\n');
}

void MemoryGauge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const Bytes bound = held_.budget > 0 ? held_.budget : held_.capacity;
    const Bytes others = held_.budget > 0 ? 0 : held_.others;  // they are not in our budget
    const Bytes most = std::max(bound, held_.ours() + others);
    const QString text = sumText();
    const QRectF row(0, 0, width(), kGaugeText);
    const qreal name = QFontMetricsF(theme.font("body")).horizontalAdvance(held_.device) + 1;
    paintText(painter, QRectF(0, 0, name, kGaugeText), held_.device, "body", "text");
    paintText(painter,
              row.adjusted(name + Theme::space(2), 0, 0, 0),
              text,
              "small",
              "text.muted",
              Qt::AlignRight);
    paintTrack(painter, QRectF(0, kGaugeText, width(), kGaugeBar));
    qreal x = 0;
    for (const Part& part : parts()) {
        const qreal length =
            most > 0 ? width() * static_cast<double>(part.bytes) / static_cast<double>(most) : 0;
        paintBar(painter, QRectF(x, kGaugeText, length, kGaugeBar), theme.colour(part.colour));
        x += length;
    }
    const qreal top = kGaugeText + kGaugeBar;
    paintLegend(painter, QRectF(0, top, width(), height() - top), legend());
}

}  // namespace lowtide::ui
