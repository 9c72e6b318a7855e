#include "ui/panels/sheet_items.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"
#include "ui/document/node_title.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

class ItemWords {
    Q_DECLARE_TR_FUNCTIONS(SheetItems)
};

constexpr const char* kStepsItem = "steps";
/// So many choices are all ticked at first; of more, the graph's own alone.
constexpr size_t kFewChoices = 6;
/// Policies that are ticked at first, in addition to the graph's own.
constexpr const char* kMostMemory = "none";
constexpr const char* kLeastMemory = "leaf+stream";

SheetItemKind kindOfItem(const ParamDesc& param) {
    switch (param.kind) {
        case ParamKind::Int:
        case ParamKind::Float:
        case ParamKind::Seed:
            return SheetItemKind::Numbers;
        case ParamKind::Text:
            return SheetItemKind::Texts;
        default:
            return SheetItemKind::Ticks;
    }
}

bool isFile(const SheetItem& item) {
    return item.param &&
           (item.param->kind == ParamKind::File || item.param->kind == ParamKind::Folder);
}

Json ownValue(const SheetItem& item, const graph::Document& document) {
    return graph::valueOf(document.nodes.at(item.node), *item.param);
}

std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

SheetChoice choice(const std::string& value, const QString& label, const QString& detail = {}) {
    return {.value = {value, label.isEmpty() ? ItemWords::tr("none") : label},
            .detail = detail,
            .isTicked = false};
}

std::vector<SheetChoice> policyChoices() {
    std::vector<SheetChoice> choices;
    for (const memory::PlannerType& type : memory::planners()) {
        const QString summary = QString::fromStdString(type.summary.str());
        choices.push_back(choice(type.name, QString::fromStdString(type.name), summary));
        if (type.mayStream) {
            const std::string streamed = type.name + "+stream";
            choices.push_back(choice(streamed, QString::fromStdString(streamed), summary));
        }
    }
    return choices;
}

std::vector<SheetChoice> paramChoices(const SheetItem& item, const OfferedFiles* offered) {
    std::vector<SheetChoice> choices;
    if (item.param->kind == ParamKind::Bool) {
        return {choice("false", ItemWords::tr("off")), choice("true", ItemWords::tr("on"))};
    }
    for (const ChoiceDesc& each : item.param->choices) {
        choices.push_back(choice(each.id, QString::fromStdString(each.label)));
    }
    if (isFile(item) && offered) {
        for (const OfferedFile& file : offered->filesFor(item.desc->id, item.item)) {
            choices.push_back(choice(file.value.toStdString(), file.label, file.detail));
        }
    }
    return choices;
}

/// Of four numbers around one, those that the parameter takes, each once.
QString numbersAround(const ParamDesc& param, double value) {
    const bool isInteger = param.kind != ParamKind::Float;
    const double least = param.min.value_or(-HUGE_VAL);
    const double most = param.softMax.value_or(param.max.value_or(HUGE_VAL));
    const double step = isInteger ? std::max(1.0, param.step.value_or(1)) : 0;
    QStringList numbers;
    for (const double fraction : {0.5, 1.0, 1.5, 2.0}) {
        double number = value * fraction;
        number = step > 0 && fraction != 1.0 ? std::round(number / step) * step : number;
        if (fraction != 1.0 && (number < least || number > most)) {
            continue;
        }
        const QString text = QString::number(number, isInteger ? 'f' : 'g', isInteger ? 0 : 6);
        if (!numbers.contains(text)) {
            numbers << text;
        }
    }
    return numbers.join(QStringLiteral(", "));
}

/// Evenly over what the editor shows of a parameter that is zero.
QString numbersAcross(const ParamDesc& param) {
    const double least = param.softMin.value_or(param.min.value_or(0));
    const double most = param.softMax.value_or(param.max.value_or(1));
    const double last = param.kind == ParamKind::Float ? most : std::round(most);
    return last > least && last - least < 1e6 ? QStringLiteral("%1-%2 [4]").arg(least).arg(last)
                                              : QStringLiteral("0-3");
}

}  // namespace

std::vector<SheetItem> sheetItems(const graph::Document& document, const graph::Catalog& catalog) {
    std::vector<SheetItem> items;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        SheetItem item{.node = id, .nodeLabel = nodeTitle(document, catalog, id), .desc = desc};
        for (const ParamDesc& param : desc->params) {
            if (param.cosmetic) {
                continue;
            }
            item.item = param.id;
            item.label = QString::fromStdString(param.label);
            item.param = &param;
            item.kind = kindOfItem(param);
            item.takesOthers = isFile(item);
            items.push_back(item);
        }
        if (!desc->components.empty()) {
            item.param = nullptr;
            item.kind = SheetItemKind::Ticks;
            item.takesOthers = true;
            item.item = kMemoryItem;
            item.label = ItemWords::tr("Memory policy");
            items.push_back(item);
            item.item = kPrecisionItem;
            item.label = ItemWords::tr("Precision");
            items.push_back(item);
        }
    }
    return items;
}

int firstStepsIn(const std::vector<SheetItem>& items) {
    const auto found = std::find_if(items.begin(), items.end(), [](const SheetItem& item) {
        return item.item == kStepsItem && item.kind == SheetItemKind::Numbers;
    });
    return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

std::string ownText(const SheetItem& item, const graph::Document& document) {
    if (item.param) {
        return plain(ownValue(item, document));
    }
    const graph::DocumentNode& node = document.nodes.at(item.node);
    try {
        return item.item == kMemoryItem
                   ? toText(node.memory.is_null() ? memory::Policy()
                                                  : memory::policyFromJson(node.memory, item.node))
                   : toText(memory::precisionFromJson(node.precision, item.node));
    } catch (const Error&) {
        return {};  // the inspector shows what is wrong with it
    }
}

std::vector<SheetChoice> choicesOf(const SheetItem& item,
                                   const graph::Document& document,
                                   const OfferedFiles* offered) {
    std::vector<SheetChoice> choices;
    if (item.param) {
        choices = paramChoices(item, offered);
    } else if (item.item == kMemoryItem) {
        choices = policyChoices();
    } else {
        for (const std::string_view preset : memory::kPrecisionPresets) {
            const std::string name(preset);
            choices.push_back(choice(name, QString::fromStdString(name)));
        }
    }
    const std::string own = ownText(item, document);
    const auto isOwn = [&](const SheetChoice& each) { return each.value.value == own; };
    if (std::none_of(choices.begin(), choices.end(), isOwn) && !own.empty()) {
        const QString text = QString::fromStdString(own);
        choices.insert(choices.begin(),
                       choice(own, isFile(item) ? QFileInfo(text).fileName() : text));
    }
    const bool areFew = choices.size() <= kFewChoices;
    for (SheetChoice& each : choices) {
        const bool isEnd =
            !item.param && (each.value.value == kMostMemory || each.value.value == kLeastMemory);
        each.isTicked = areFew || isOwn(each) || isEnd;
    }
    return choices;
}

QString suggestedText(const SheetItem& item, const graph::Document& document) {
    const Json own = ownValue(item, document);
    if (item.param->kind == ParamKind::Seed) {
        const uint64_t seed = own.is_number() ? own.get<uint64_t>() : 0;
        const uint64_t first = std::min(seed, UINT64_MAX - 3);
        return QStringLiteral("%1, %2, %3, %4")
            .arg(first)
            .arg(first + 1)
            .arg(first + 2)
            .arg(first + 3);
    }
    const double value = own.is_number() ? own.get<double>() : 0;
    return value > 0 ? numbersAround(*item.param, value) : numbersAcross(*item.param);
}

QString sentencesOf(const Error& error) {
    const QString message = asSentence(errorText(error));
    const QString gap = message.endsWith(u'。') ? QString() : QStringLiteral(" ");
    return (message + gap + asSentence(moduleSentence(error.hint()))).trimmed();
}

QString refusalOf(const SheetItem& item,
                  const std::vector<SheetValue>& values,
                  const graph::Document& document,
                  const graph::Catalog& catalog) {
    graph::Document alone;
    alone.nodes[item.node] = document.nodes.at(item.node);
    for (const SheetValue& value : values) {
        try {
            (void)documentWith({item.node + "." + item.item + "=" + value.value}, alone, catalog);
        } catch (const Error& error) {
            return sentencesOf(error);
        }
    }
    return {};
}

}  // namespace lowtide::ui
