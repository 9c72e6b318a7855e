#include "ui/panels/image_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/figures.hpp"

#include <QAction>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>

#include <algorithm>
#include <array>
#include <map>
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

/// The name of a text of the file for users; a key of another program is kept as it is.
QString nameOf(const std::string& key) {
    return key == kGraphText            ? FactsList::tr("Graph as text")
           : key == "lowtide_precision" ? FactsList::tr("Precision")
           : key == "parameters"        ? FactsList::tr("Parameters")
                                        : QString::fromStdString(key);
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

/// Smaller comes first.
int rankOf(const ParamDesc& param) {
    return param.kind == ParamKind::Text && param.multiline ? 0
           : param.kind == ParamKind::Seed                  ? 1
                                                            : 2;
}

struct Setting {
    const ParamDesc* param = nullptr;
    QString node;  ///< as the user calls it
    QString value;
};

QString settingValue(const ParamDesc& param, const Json& value) {
    const bool isText = param.kind == ParamKind::Text && value.is_string();
    return isText ? QString::fromStdString(value.get<std::string>()) : valueText(param, value);
}

constexpr int kShortValue = 120;

/// Values of one line; the whole text is the tooltip's and the clipboard's.
QString oneLine(const QString& value) {
    const QString line = value.simplified();
    return line.size() <= kShortValue ? line : line.left(kShortValue) + QStringLiteral(" ...");
}

}  // namespace

std::vector<ImageFact> factsOf(const LoadedImage& image) {
    std::vector<ImageFact> facts;
    if (!image.levels.empty()) {
        facts.push_back({FactsList::tr("Size"), sizeFact(image)});
    }
    if (image.video) {
        addVideo(*image.video, facts);
    }
    if (!image.path.isEmpty()) {
        facts.push_back({FactsList::tr("File"), QFileInfo(image.path).fileName()});
    }
    if (const std::string graph = image.graphText(); !graph.empty()) {
        facts.push_back({FactsList::tr("Graph"), graphFact(graph)});
    }
    for (const image::ImageText& text : image.texts) {
        if (!image.video || !isOfContainer(text.key)) {
            facts.push_back({nameOf(text.key), shortened(text.text)});
        }
    }
    return facts;
}

std::vector<ImageFact> settingFacts(const graph::Document& document,
                                    const graph::Catalog& catalog) {
    std::vector<Setting> settings;
    std::map<std::string, int> named;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            const auto value = node.params.find(param.id);
            const bool isStated =
                value != node.params.end() && *value != graph::toJson(param.defaultValue);
            if (!isStated && (param.kind != ParamKind::Seed || value == node.params.end())) {
                continue;
            }
            const QString text = settingValue(param, *value);
            if (!text.isEmpty()) {
                settings.push_back(
                    {.param = &param, .node = nodeTitle(document, catalog, id), .value = text});
                ++named[param.label];
            }
        }
    }
    std::ranges::stable_sort(settings, [](const Setting& a, const Setting& b) {
        return rankOf(*a.param) < rankOf(*b.param);
    });
    std::vector<ImageFact> facts;
    for (const Setting& setting : settings) {
        const QString label = QString::fromStdString(setting.param->label);
        facts.push_back({named.at(setting.param->label) == 1
                             ? label
                             : FactsList::tr("%1, %2").arg(label, setting.node),
                         setting.value});
    }
    return facts;
}

std::vector<ImageFact> settingFactsOf(const LoadedImage& image, const graph::Catalog* catalog) {
    const std::string graph = image.graphText();
    if (!catalog || graph.empty()) {
        return {};
    }
    try {
        return settingFacts(graph::parseDocument(graph), *catalog);
    } catch (const Error&) {  // the fact of the graph states why
        return {};
    }
}

FactsList::FactsList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("facts"));
    setHeaderLabels({tr("What"), tr("Value")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copied = new QAction(tr("Copy"), this);
    copied->setShortcut(QKeySequence::Copy);
    copied->setShortcutContext(Qt::WidgetShortcut);
    connect(copied, &QAction::triggered, this, &FactsList::copy);
    addAction(copied);
}

void FactsList::add(const ImageFact& fact) {
    auto* item = new QTreeWidgetItem(this, {fact.name, oneLine(fact.value)});
    item->setData(1, Qt::UserRole, fact.value);
    item->setToolTip(1, fact.value.left(2000));
}

/// What the user set comes before what the file states about itself.
void FactsList::setImage(const LoadedImage& image) {
    clear();
    for (const ImageFact& fact : settingFactsOf(image, catalog_)) {
        add(fact);
    }
    for (const ImageFact& fact : factsOf(image)) {
        add(fact);
    }
    setVisible(topLevelItemCount() > 0);
}

void FactsList::copy() const {
    QStringList lines;
    for (const QTreeWidgetItem* item : selectedItems()) {
        lines.push_back(item->data(1, Qt::UserRole).toString());
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace lowtide::ui
