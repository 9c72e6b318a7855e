#include "ui/panels/picture_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/figures.hpp"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
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

class FactWords {
    Q_DECLARE_TR_FUNCTIONS(PictureFacts)
};

QString shortened(const std::string& text) {
    const QString all = QString::fromStdString(text);
    return all.size() <= kLongest ? all
                                  : FactWords::tr("%1 ... (%2 characters in all)")
                                        .arg(all.left(kLongest), QString::number(all.size()));
}

QString graphFact(const std::string& text) {
    try {
        const graph::Document document = graph::parseDocument(text);
        return FactWords::tr("%n nodes", nullptr, static_cast<int>(document.nodes.size()));
    } catch (const Error& error) {
        return FactWords::tr("cannot be opened: %1").arg(errorText(error));
    }
}

QString pixelsText(const QSize& size) {
    return FactWords::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
}

QString sizeFact(const LoadedPicture& picture) {
    const QSize shown = picture.levels.front().size();
    return picture.size.isEmpty() || picture.size == shown
               ? pixelsText(shown)
               : FactWords::tr("%1, shown with %2")
                     .arg(pixelsText(picture.size), pixelsText(shown));
}

/// What every container of a video says of itself.
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

/// What a text of the file is called for people; a key of another program stays as it is.
QString nameOf(const std::string& key) {
    return key == kGraphText            ? FactWords::tr("Graph as text")
           : key == "lowtide_precision" ? FactWords::tr("Precision")
           : key == "parameters"        ? FactWords::tr("Parameters")
                                        : QString::fromStdString(key);
}

void addVideo(const video::VideoHeader& video, std::vector<PictureFact>& facts) {
    facts.push_back({FactWords::tr("Frames"), QString::number(video.frames)});
    if (video.rate > 0) {
        facts.push_back({FactWords::tr("Rate"),
                         FactWords::tr("%1 fps").arg(QString::number(video.rate, 'g', 5))});
        facts.push_back(
            {FactWords::tr("Length"), secondsText(static_cast<double>(video.frames) / video.rate)});
    }
}

class SettingWords {
    Q_DECLARE_TR_FUNCTIONS(SettingFacts)
};

/// Smaller comes first.
int rankOf(const ParamDesc& param) {
    return param.kind == ParamKind::Text && param.multiline ? 0
           : param.kind == ParamKind::Seed                  ? 1
                                                            : 2;
}

struct Setting {
    const ParamDesc* param = nullptr;
    QString node;  ///< as a person calls it
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

std::vector<PictureFact> factsOf(const LoadedPicture& picture) {
    std::vector<PictureFact> facts;
    if (!picture.levels.empty()) {
        facts.push_back({FactWords::tr("Size"), sizeFact(picture)});
    }
    if (picture.video) {
        addVideo(*picture.video, facts);
    }
    if (!picture.path.isEmpty()) {
        facts.push_back({FactWords::tr("File"), QFileInfo(picture.path).fileName()});
    }
    if (const std::string graph = picture.graphText(); !graph.empty()) {
        facts.push_back({FactWords::tr("Graph"), graphFact(graph)});
    }
    for (const image::PictureText& text : picture.texts) {
        if (!picture.video || !isOfContainer(text.key)) {
            facts.push_back({nameOf(text.key), shortened(text.text)});
        }
    }
    return facts;
}

std::vector<PictureFact> settingFacts(const graph::Document& document,
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
    std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
        return rankOf(*a.param) < rankOf(*b.param);
    });
    std::vector<PictureFact> facts;
    for (const Setting& setting : settings) {
        const QString label = QString::fromStdString(setting.param->label);
        facts.push_back({named.at(setting.param->label) == 1
                             ? label
                             : SettingWords::tr("%1, %2").arg(label, setting.node),
                         setting.value});
    }
    return facts;
}

std::vector<PictureFact> settingFactsOf(const LoadedPicture& picture,
                                        const graph::Catalog* catalog) {
    const std::string graph = picture.graphText();
    if (!catalog || graph.empty()) {
        return {};
    }
    try {
        return settingFacts(graph::parseDocument(graph), *catalog);
    } catch (const Error&) {  // the fact of the graph says why
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

void FactsList::add(const PictureFact& fact) {
    auto* item = new QTreeWidgetItem(this, {fact.name, oneLine(fact.value)});
    item->setData(1, Qt::UserRole, fact.value);
    item->setToolTip(1, fact.value.left(2000));
}

/// What a person set stands before what the file says of itself.
void FactsList::setPicture(const LoadedPicture& picture) {
    clear();
    for (const PictureFact& fact : settingFactsOf(picture, catalog_)) {
        add(fact);
    }
    for (const PictureFact& fact : factsOf(picture)) {
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
