#include "ui/panels/form_fields.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr const char* kWidth = "width";
constexpr const char* kHeight = "height";
constexpr int kRatioLetters = 5;

/// What cannot be read asks for nothing.
memory::PrecisionChoice precisionOf(const Json& json) {
    try {
        return memory::precisionFromJson(json, graph::kExposedPrecision);
    } catch (const Error&) {
        return {};
    }
}

/// What a preset is called; another version may have more.
QString presetName(std::string_view preset) {
    const std::pair<std::string_view, QString> names[] = {
        {"quality", PrecisionField::tr("Quality")},
        {"balanced", PrecisionField::tr("Balanced")},
        {"speed", PrecisionField::tr("Speed")}};
    const auto* found =
        std::ranges::find(names, preset, [](const auto& each) { return each.first; });
    return found == std::end(names)
               ? QString::fromUtf8(preset.data(), static_cast<qsizetype>(preset.size()))
               : found->second;
}

int64_t lengthOf(const GraphModel& model, const std::string& id, const char* param) {
    const graph::DocumentNode* node = model.node(id);
    const NodeDesc* desc = model.desc(id);
    const ParamDesc* side = desc ? graph::findParam(*desc, param) : nullptr;
    if (!node || !side) {
        return 0;
    }
    const Json value = graph::valueOf(*node, *side);
    return value.is_number_integer() ? value.get<int64_t>() : 0;
}

QString ratioText(const Ratio& ratio) {
    return QStringLiteral("%1:%2").arg(ratio.across).arg(ratio.down);
}

/// As a field of the form: its name, and what it is.
QWidget* labelled(const QString& text, QWidget* control, QWidget* parent) {
    auto* part = new QWidget(parent);
    columnIn(part, 1, {makeFieldLabel(text, control, part), control, Cell::spring()});
    return part;
}

}  // namespace

FormField::FormField(GraphModel& model, graph::ExposedParam exposed, QWidget* parent)
    : QWidget(parent), model_(model), exposed_(std::move(exposed)) {
    setObjectName(QString::fromStdString("field." + exposed_.node + "." + exposed_.param));
}

PrecisionField::PrecisionField(GraphModel& model,
                               const graph::ExposedParam& exposed,
                               QWidget* parent)
    : FormField(model, exposed, parent),
      presets_(named(objectName() + QStringLiteral(".editor"), new ChoiceBox(this))) {
    QLabel* label =
        makeFieldLabel(exposedLabel(exposed.label,
                                    *model.desc(exposed.node),
                                    {.id = graph::kExposedPrecision, .label = "Precision"}),
                       presets_,
                       this);
    setTip(*presets_,
           tr("How exactly the network computes: quality is the most exact, speed is the fastest"));
    presets_->setAccessibleName(label->text());
    for (const std::string_view preset : memory::kPrecisionPresets) {
        presets_->addItem(presetName(preset), QString::fromStdString(std::string(preset)));
    }
    connect(presets_, &QComboBox::activated, this, [this](int index) {
        choose(presets_->itemData(index).toString().toStdString());
    });
    columnIn(this, 1, {label, presets_});
    refresh();
}

void PrecisionField::refresh() {
    if (const graph::DocumentNode* node = model().node(exposed().node)) {
        const std::string preset = precisionOf(node->precision).preset;
        presets_->setCurrentIndex(presets_->findData(QString::fromStdString(preset)));
    }
}

void PrecisionField::choose(const std::string& preset) {
    model().endMerging();
    model().apply(tr("Change the precision"), [&](graph::Document& document) {
        graph::DocumentNode& node = document.nodes.at(exposed().node);
        memory::PrecisionChoice choice = precisionOf(node.precision);
        choice.preset = preset;
        node.precision = memory::toJson(choice);
    });
}

SizeRow::SizeRow(GraphModel& model, FormField& width, FormField& height, QWidget* parent)
    : QWidget(parent),
      model_(model),
      node_(width.node()),
      limits_(sizeLimitsOf(*graph::findParam(*model.desc(node_), kWidth))),
      ratios_(new ChoiceBox(this)) {
    setObjectName(QString::fromStdString("size." + node_));
    ratios_->setObjectName(objectName() + QStringLiteral(".ratio"));
    ratios_->setPlaceholderText(tr("other"));
    ratios_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    ratios_->setMinimumContentsLength(kRatioLetters);
    setTip(*ratios_, tr("Ratio of width to height, at the same number of pixels"));
    for (const Ratio& ratio : usualRatios()) {
        ratios_->addItem(ratioText(ratio));
    }
    QToolButton* swap = makeIconButton("swap", tr("Swap width and height"), "", this);
    swap->setObjectName(objectName() + QStringLiteral(".swap"));
    connect(ratios_, &QComboBox::activated, this, [this](int index) {
        const auto row = static_cast<size_t>(index);
        if (row < usualRatios().size()) {
            apply(tr("Change the ratio"), sizeOfRatio(usualRatios()[row], pixels_, limits_));
        } else {
            const PixelSize usual = usual_;
            pixels_ = usualPixels_;
            apply(tr("Take the usual size"), usual);
        }
    });
    connect(swap, &QToolButton::clicked, this, [this] {
        const PixelSize now = size();
        apply(tr("Swap width and height"), {.width = now.height, .height = now.width});
    });
    auto* row = new FlowRow(this);  // a narrow dock has the ratio below
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::space(2));
    for (QWidget* part : std::initializer_list<QWidget*>{
             &width, labelled({}, swap, this), &height, labelled(tr("Ratio"), ratios_, this)}) {
        row->addWidget(part);
    }
    for (FormField* field : {&width, &height}) {
        field->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    }
    refresh();
}

PixelSize SizeRow::size() const {
    return {.width = lengthOf(model_, node_, kWidth), .height = lengthOf(model_, node_, kHeight)};
}

void SizeRow::refresh() {
    const PixelSize now = size();
    if (now != made_) {
        pixels_ = now.pixels();
    }
    const std::optional<Ratio> ratio = ratioOf(now, limits_);
    const auto found = std::ranges::find_if(
        usualRatios(), [&](const Ratio& each) { return ratio && each == *ratio; });
    ratios_->setCurrentIndex(
        found == usualRatios().end() ? -1 : static_cast<int>(found - usualRatios().begin()));
    ratios_->setEnabled(now.pixels() > 0);
    offerUsual(now);
}

void SizeRow::setUsualPixels(int64_t pixels) {
    usualPixels_ = pixels;
    offerUsual(size());
}

/// Not where the size is that one.
void SizeRow::offerUsual(const PixelSize& now) {
    const PixelSize usual =
        usualPixels_ > 0 && now.pixels() > 0
            ? sizeOfRatio({.across = now.width, .down = now.height}, usualPixels_, limits_)
            : now;
    usual_ = usual == now ? PixelSize() : usual;
    const QString text =
        usual_.pixels() > 0 ? tr("%1 x %2, usual").arg(usual_.width).arg(usual_.height) : QString();
    const int row = static_cast<int>(usualRatios().size());
    if (ratios_->itemText(row) == text) {
        return;  // the list may be open
    }
    if (ratios_->count() > row) {
        ratios_->removeItem(row);
    }
    if (!text.isEmpty()) {
        ratios_->addItem(text);
    }
}

void SizeRow::apply(const QString& step, const PixelSize& size) {
    if (!model_.node(node_) || size.width <= 0 || size.height <= 0) {
        return;
    }
    made_ = size;
    model_.endMerging();
    model_.apply(step, [&](graph::Document& document) {
        Json& params = document.nodes.at(node_).params;
        params[kWidth] = size.width;
        params[kHeight] = size.height;
    });
}

}  // namespace lowtide::ui
