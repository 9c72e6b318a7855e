#include "ui/panels/image_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "ui/access/announce.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::ui {

namespace {

constexpr qsizetype kLongest = 20000;
constexpr const char* kGraphText = "lowtide_graph";

QString shortened(const std::string& text) {
    const QString all = QString::fromStdString(text);
    return all.size() <= kLongest ? all
                                  : FactsList::tr("%1 ... (%2 characters in all)")
                                        .arg(all.left(kLongest), QString::number(all.size()));
}

QString graphFact(const std::string& text) {
    try {
        const graph::Document document = graph::parseDocument(text);
        return FactsList::tr("%n nodes", nullptr, static_cast<int>(document.nodes.size()));
    } catch (const Error& error) {
        return FactsList::tr("cannot be opened: %1").arg(errorText(error));
    }
}

QString pixelsText(const QSize& size) {
    return FactsList::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
}

QString sizeFact(const LoadedImage& image) {
    const QSize shown = image.levels.front().size();
    return image.size.isEmpty() || image.size == shown
               ? pixelsText(shown)
               : FactsList::tr("%1, shown with %2").arg(pixelsText(image.size), pixelsText(shown));
}

/// Whether every container of a video states it about itself.
bool isOfContainer(const std::string& key) {
    constexpr std::array<std::string_view, 7> kKeys = {"compatible_brands",
                                                       "duration",
                                                       "handler_name",
                                                       "language",
                                                       "major_brand",
                                                       "minor_version",
                                                       "vendor_id"};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

/// The name of a text of the file for users; a key of another program is kept as it is, unless it
/// is one of ComfyUI's, which images of this program have, too.
QString nameOf(const image::ImageText& text) {
    const bool isJson = text.text.starts_with('{');
    return text.key == kGraphText             ? FactsList::tr("Graph as text")
           : text.key == "lowtide_precision"  ? FactsList::tr("Precision")
           : text.key == "parameters"         ? FactsList::tr("Parameters")
           : isJson && text.key == "prompt"   ? FactsList::tr("For ComfyUI's server")
           : isJson && text.key == "workflow" ? FactsList::tr("For ComfyUI's editor")
                                              : QString::fromStdString(text.key);
}

void addVideo(const video::VideoHeader& video, std::vector<ImageFact>& facts) {
    facts.push_back({FactsList::tr("Frames"), QString::number(video.frames)});
    if (video.rate > 0) {
        facts.push_back({FactsList::tr("Rate"),
                         FactsList::tr("%1 fps").arg(QString::number(video.rate, 'g', 5))});
        facts.push_back(
            {FactsList::tr("Length"), secondsText(static_cast<double>(video.frames) / video.rate)});
    }
}

/// Where a value is listed; smaller comes first.
enum class Rank { Prompt, Negative, Model, Lora, Sampler, Steps, Guidance, Seed, Size, Rest };

Rank rankOf(const ImageValue& value) {
    switch (value.role) {
        case ImageRole::Prompt:
            return Rank::Prompt;
        case ImageRole::Negative:
            return Rank::Negative;
        case ImageRole::Sampler:
            return Rank::Sampler;
        case ImageRole::Steps:
            return Rank::Steps;
        case ImageRole::Guidance:
            return Rank::Guidance;
        case ImageRole::Seed:
            return Rank::Seed;
        case ImageRole::Width:
        case ImageRole::Height:
            return Rank::Size;
        case ImageRole::Other:
            break;
    }
    const std::optional<ModelKind> kind =
        kindFor({.nodeType = value.desc->id, .param = value.param->id});
    return kind == ModelKind::Checkpoint || kind == ModelKind::Denoiser ||
                   kind == ModelKind::DiffusionModel
               ? Rank::Model
           : kind == ModelKind::Lora ? Rank::Lora
                                     : Rank::Rest;
}

struct Setting {
    Rank rank = Rank::Rest;
    QString label;
    QString node;  ///< as the user calls it
    QString value;
    QString name{};  ///< the label, with the node where others have the same label
};

QString nameWithNode(const Setting& setting) {
    return FactsList::tr("%1, %2").arg(setting.label, setting.node);
}

QString settingValue(const ParamDesc& param, const Json& value) {
    const bool isText = param.kind == ParamKind::Text && value.is_string();
    return isText ? QString::fromStdString(value.get<std::string>()) : valueText(param, value);
}

/// The height of a size is that of the same node.
QString sizeSetting(const ImageValue& width, const std::vector<ImageValue>& values) {
    const auto height = std::ranges::find_if(values, [&](const ImageValue& each) {
        return each.node == width.node && each.role == ImageRole::Height;
    });
    return height != values.end() && width.value.is_number_integer() &&
                   height->value.is_number_integer()
               ? pixelsText({width.value.get<int>(), height->value.get<int>()})
               : QString();
}

void nameSettings(std::vector<Setting>& settings) {
    std::map<QString, int> called;
    for (const Setting& setting : settings) {
        ++called[setting.label];
    }
    for (Setting& setting : settings) {
        setting.name = called[setting.label] == 1 ? setting.label : nameWithNode(setting);
    }
}

/// Sorted.
std::vector<Setting> settingsIn(const graph::Document& document,
                                const graph::Catalog& catalog,
                                const std::string& file) {
    const std::vector<ImageValue> values = valuesBehind(document, catalog, file);
    std::vector<Setting> settings;
    for (const ImageValue& value : values) {
        const Rank rank = rankOf(value);
        const bool isSize = value.role == ImageRole::Width;
        if (value.role == ImageRole::Height || value.value.is_null() || value.value == Json("") ||
            (rank == Rank::Rest && value.isDefault)) {
            continue;
        }
        const QString text =
            isSize ? sizeSetting(value, values) : settingValue(*value.param, value.value);
        if (!text.isEmpty()) {
            settings.push_back({.rank = rank,
                                .label = isSize ? FactsList::tr("Size")
                                                : QString::fromStdString(value.param->label),
                                .node = nodeTitle(document, catalog, value.node),
                                .value = text});
        }
    }
    std::ranges::stable_sort(settings, {}, &Setting::rank);
    nameSettings(settings);
    return settings;
}

/// Sorted; nothing where the image has no graph, or where it cannot be read, which the fact of the
/// graph states.
std::vector<Setting> settingsOf(const LoadedImage& image, const graph::Catalog* catalog) {
    const std::string graph = image.graphText();
    if (!catalog || graph.empty()) {
        return {};
    }
    try {
        return settingsIn(
            graph::parseDocument(graph), *catalog, QFileInfo(image.path).fileName().toStdString());
    } catch (const Error&) {
        return {};
    }
}

/// What the image itself shows.
std::vector<ImageFact> ownFacts(const LoadedImage& image) {
    std::vector<ImageFact> facts;
    if (!image.levels.empty()) {
        facts.push_back({.name = FactsList::tr("Size"), .value = sizeFact(image)});
    }
    if (image.video) {
        addVideo(*image.video, facts);
    }
    return facts;
}

void addFile(const LoadedImage& image, std::vector<ImageFact>& facts) {
    using Kind = ImageFact::Kind;
    if (!image.path.isEmpty()) {
        facts.push_back({FactsList::tr("File"), QFileInfo(image.path).fileName(), Kind::File});
    }
    if (const std::string graph = image.graphText(); !graph.empty()) {
        facts.push_back({FactsList::tr("Graph"), graphFact(graph), Kind::File});
    }
    for (const image::ImageText& text : image.texts) {
        if (!image.video || !isOfContainer(text.key)) {
            facts.push_back({nameOf(text), shortened(text.text), Kind::Raw});
        }
    }
}

constexpr int kShortValue = 120;

/// Values of one line; the whole text is the tooltip's and the clipboard's.
QString oneLine(const QString& value) {
    const QString line = value.simplified();
    return line.size() <= kShortValue ? line : line.left(kShortValue) + QStringLiteral(" ...");
}

}  // namespace

std::vector<ImageFact> settingFacts(const graph::Document& document,
                                    const graph::Catalog& catalog,
                                    const std::string& file) {
    std::vector<ImageFact> facts;
    for (const Setting& setting : settingsIn(document, catalog, file)) {
        facts.push_back({.name = setting.name, .value = setting.value});
    }
    return facts;
}

/// What the image shows goes before the graph's word for the same.
std::vector<ImageFact> settingFacts(const LoadedImage& image, const graph::Catalog* catalog) {
    const std::vector<Setting> settings = settingsOf(image, catalog);
    const std::vector<ImageFact> own = ownFacts(image);
    std::vector<ImageFact> facts;
    const auto add = [&](const Setting& setting) {
        const auto same = std::ranges::find(own, setting.label, &ImageFact::name);
        if (same == own.end()) {
            facts.push_back({.name = setting.name, .value = setting.value});
        } else if (same->value != setting.value) {
            facts.push_back({.name = nameWithNode(setting), .value = setting.value});
        }
    };
    const auto rest = std::ranges::find_if(
        settings, [](const Setting& setting) { return setting.rank >= Rank::Size; });
    std::for_each(settings.begin(), rest, add);
    facts.insert(facts.end(), own.begin(), own.end());
    std::for_each(rest, settings.end(), add);
    return facts;
}

std::vector<ImageFact> factsOf(const LoadedImage& image, const graph::Catalog* catalog) {
    std::vector<ImageFact> facts = settingFacts(image, catalog);
    addFile(image, facts);
    return facts;
}

FactsList::FactsList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("facts"));
    setAccessibleName(tr("Facts of the image"));
    setColumnCount(2);
    setHeaderHidden(true);
    setIndentation(Theme::space(4));
    setExpandsOnDoubleClick(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setToolTip(tr("Click a line to copy it"));
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copied = new QAction(tr("Copy"), this);
    copied->setShortcut(QKeySequence::Copy);
    copied->setShortcutContext(Qt::WidgetShortcut);
    connect(copied, &QAction::triggered, this, &FactsList::copySelected);
    addAction(copied);
}

void FactsList::setFacts(const std::vector<ImageFact>& facts) {
    if (const QTreeWidgetItem* last = topLevelItem(topLevelItemCount() - 1)) {
        isRawOpen_ = last->childCount() > 0 ? last->isExpanded() : isRawOpen_;
    }
    clear();
    QTreeWidgetItem* raw = nullptr;
    for (const ImageFact& fact : facts) {
        if (fact.kind == ImageFact::Kind::Raw && !raw) {
            raw = new QTreeWidgetItem(this, {tr("Raw")});
            raw->setToolTip(0, tr("The file's metadata, unchanged"));
        }
        const QStringList line = {fact.name, oneLine(fact.value)};
        auto* item = fact.kind == ImageFact::Kind::Raw ? new QTreeWidgetItem(raw, line)
                                                       : new QTreeWidgetItem(this, line);
        item->setData(1, Qt::UserRole, fact.value);
        item->setToolTip(1, fact.value.left(2000));
    }
    if (raw) {
        raw->setExpanded(isRawOpen_);
    }
}

/// A click copies a line, or folds what is below it.
void FactsList::mousePressEvent(QMouseEvent* event) {
    QTreeWidgetItem* item = itemAt(event->pos());
    const bool wasOpen = item && item->isExpanded();
    QTreeWidget::mousePressEvent(event);
    if (event->button() != Qt::LeftButton || !item) {
        return;
    }
    if (item->childCount() == 0) {
        copyText(item->data(1, Qt::UserRole).toString());
        QToolTip::showText(event->globalPosition().toPoint(), tr("Copied"), this);
    } else if (item->isExpanded() == wasOpen) {  // else the sign before it was pressed
        item->setExpanded(!wasOpen);
    }
}

void FactsList::copySelected() {
    QStringList lines;
    for (const QTreeWidgetItem* item : selectedItems()) {
        lines.push_back(item->data(1, Qt::UserRole).toString());
    }
    copyText(lines.join(QLatin1Char('\n')));
}

void FactsList::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
    announce(*this, tr("Copied"));
}

FactsPanel::FactsPanel(QWidget* parent)
    : QWidget(parent), list_(new FactsList(this)), uses_(named("uses", new QWidget(this))) {
    auto* row = new FlowRow(uses_);
    row->setContentsMargins(Theme::space(2), Theme::space(1), Theme::space(2), Theme::space(2));
    row->setSpacing(Theme::space(1));
    addUse(
        "usePrompt", tr("Use prompt"), tr("Put its prompts into the open graph"), ImageUse::Prompt);
    addUse("useSeed", tr("Use seed"), tr("Put its seed into the open graph"), ImageUse::Seed);
    addUse("useSize", tr("Use size"), tr("Put its size into the open graph"), ImageUse::Size);
    addUse("useAll", tr("Use all"), tr("Put all its values into the open graph"), ImageUse::All);
    columnIn(this, 0, {{list_, 1}, uses_});
}

/// A button, and the same in the menu of the list.
void FactsPanel::addUse(const char* name, const QString& text, const QString& tip, ImageUse use) {
    auto* action = new QAction(text, this);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [this, use] { Q_EMIT useAsked(use); });
    list_->addAction(action);
    auto* button = named(name, new QToolButton(uses_));
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    uses_->layout()->addWidget(button);
}

void FactsPanel::addUses(QMenu& menu) {
    menu.addActions(findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly));
}

void FactsPanel::setImage(const LoadedImage& image) {
    const std::vector<ImageFact> facts = factsOf(image, catalog_);
    list_->setFacts(facts);
    const bool hasGraph = catalog_ != nullptr && !image.graphText().empty();
    uses_->setVisible(hasGraph);
    for (QAction* action : findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly)) {
        action->setEnabled(hasGraph);
    }
    setVisible(!isEmpty());
}

}  // namespace lowtide::ui
