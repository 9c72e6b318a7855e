#include "ui/bridge/sheet_plan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/overrides.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/vary/variation.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

class SheetWords {
    Q_DECLARE_TR_FUNCTIONS(SheetPlan)
};

Variation variationOf(const SheetAxis& axis) {
    Variation variation{.param = axis.node + "." + axis.item, .values = {}};
    for (const SheetValue& value : axis.values) {
        variation.values.push_back(value.value);
    }
    return variation;
}

std::vector<Variant> combinations(const SheetPlan& plan) {
    std::vector<Variation> variations;
    if (plan.y) {
        variations.push_back(variationOf(*plan.y));
    }
    variations.push_back(variationOf(plan.x));  // changes fastest
    return combinationsOf(variations);
}

Json axisJson(const SheetAxis& axis) {
    Json values = Json::array();
    for (const SheetValue& value : axis.values) {
        values.push_back({{"value", value.value}, {"label", value.label.toStdString()}});
    }
    return {{"node", axis.node},
            {"item", axis.item},
            {"node_label", axis.nodeLabel.toStdString()},
            {"label", axis.label.toStdString()},
            {"values", std::move(values)}};
}

std::optional<SheetAxis> axisFrom(const Json& json) {
    SheetAxis axis{.node = textIn(json, "node"),
                   .item = textIn(json, "item"),
                   .nodeLabel = QString::fromStdString(textIn(json, "node_label")),
                   .label = QString::fromStdString(textIn(json, "label")),
                   .values = {}};
    const Json& values = memberIn(json, "values");
    for (const Json& value : values.is_array() ? values : Json::array()) {
        axis.values.push_back(
            {textIn(value, "value"), QString::fromStdString(textIn(value, "label"))});
    }
    return axis.node.empty() || axis.item.empty() || axis.values.empty()
               ? std::nullopt
               : std::optional(std::move(axis));
}

}  // namespace

QString SheetAxis::title() const {
    return SheetWords::tr("%1: %2").arg(nodeLabel, label);
}

QString SheetPlan::cellTitle(size_t cell) const {
    const QString across =
        SheetWords::tr("%1 %2").arg(x.label, x.values.at(cell % columns()).label);
    return y ? SheetWords::tr("%1, %2").arg(
                   across,
                   SheetWords::tr("%1 %2").arg(y->label, y->values.at(cell / columns()).label))
             : across;
}

QString SheetPlan::cellValues(size_t cell) const {
    const QString& across = x.values.at(cell % columns()).label;
    return y ? SheetWords::tr("%1, %2").arg(across, y->values.at(cell / columns()).label) : across;
}

graph::Document documentWith(const std::vector<std::string>& settings,
                             const graph::Document& document,
                             const graph::Catalog& catalog) {
    const AppliedSettings applied = appliedSettings(settings);
    return graph::applyOverrides(
        document,
        catalog,
        {.params = applied.params, .policies = applied.policies, .precisions = applied.precisions});
}

bool variesMemory(const SheetPlan& plan) {
    return plan.x.item == kMemoryItem || (plan.y && plan.y->item == kMemoryItem);
}

graph::Document cellOf(const SheetPlan& plan,
                       size_t cell,
                       const graph::Document& document,
                       const graph::Catalog& catalog) {
    return documentWith(combinations(plan).at(cell).settings, document, catalog);
}

std::vector<RunControl::Variant> variantsOf(const SheetPlan& plan,
                                            const graph::Document& document,
                                            const graph::Catalog& catalog) {
    std::vector<RunControl::Variant> variants;
    for (const Variant& variant : combinations(plan)) {
        variants.push_back({.document = documentWith(variant.settings, document, catalog),
                            .title = plan.cellTitle(variants.size())});
    }
    return variants;
}

std::string toText(const SheetPlan& plan) {
    Json json{{"x", axisJson(plan.x)}, {"measured", plan.isMeasured}};
    if (plan.y) {
        json["y"] = axisJson(*plan.y);
    }
    return json.dump();
}

std::optional<SheetPlan> sheetPlanFrom(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    std::optional<SheetAxis> x = axisFrom(memberIn(json, "x"));
    if (!x) {
        return std::nullopt;
    }
    const Json& measured = memberIn(json, "measured");
    return SheetPlan{.x = std::move(*x),
                     .y = axisFrom(memberIn(json, "y")),
                     .isMeasured = measured.is_boolean() && measured.get<bool>()};
}

/// What the module reports about one cell.
struct SheetEstimate::Planned {
    double seconds = 0;
    bool isRehearsal = false;
    bool isBusy = false;
    Issues issues;

    static Planned refused(const Error& error) {
        return {.issues = reworded({{.code = "invalid_input", .message = error.message()}})};
    }

    /// On the other thread.
    static Planned askedOf(Runner& runner, const std::string& graph, const std::string& options) {
        std::string text;
        const Status status = runner.plan(graph, options, text);
        const Json answer = answerOf(text);
        Planned planned;
        if (status != Status::Ok) {
            planned.issues = issuesFromJson(memberIn(answer, "issues"));
            planned.isBusy = !planned.issues.empty() && planned.issues.front().code == "busy";
            return planned;
        }
        for (const Json& device : memberIn(memberIn(answer, "plan"), "devices")) {
            planned.isRehearsal = planned.isRehearsal || memberIn(device, "rehearsal") == true;
        }
        const Json& stages = memberIn(memberIn(answer, "plan"), "stages");
        for (const Json& stage : stages.is_array() ? stages : Json::array()) {
            planned.seconds += numberIn(stage, "seconds");
        }
        return planned;
    }
};

SheetEstimate::SheetEstimate(Runner& runner, Background& background, QObject* parent)
    : QObject(parent),
      runner_(runner),
      question_(std::make_shared<std::atomic<int>>(0)),
      background_(background) {}

SheetEstimate::~SheetEstimate() {
    forget();
}

void SheetEstimate::forget() {
    ++*question_;
    forecast_ = {};
}

void SheetEstimate::ask(const SheetPlan& plan,
                        const graph::Document& document,
                        const graph::Catalog& catalog,
                        const Json& options) {
    forget();
    forecast_.cells = plan.cells();

    struct Question {
        SheetPlan plan;
        graph::Document document;
        std::string options;
    };

    const auto asked = std::make_shared<const Question>(Question{plan, document, options.dump()});
    const auto known =
        std::make_shared<const graph::Catalog>(catalog.nodes());  // of the other thread
    const int number = *question_;
    for (size_t cell = 0; cell < plan.cells(); ++cell) {
        background_.run(
            [this, number, cell, asked, known, &runner = runner_, question = question_]()
                -> Background::Answer {
                if (number != *question) {
                    return {};
                }
                Planned planned;
                try {
                    planned = Planned::askedOf(
                        runner,
                        graph::toText(cellOf(asked->plan, cell, asked->document, *known)),
                        asked->options);
                } catch (const Error& error) {
                    planned = Planned::refused(error);
                }
                return [this, number, question, title = asked->plan.cellTitle(cell), planned] {
                    if (number == *question) {  // else `this` may be gone
                        take(title, planned);
                    }
                };
            });
    }
}

void SheetEstimate::take(const QString& title, const Planned& planned) {
    ++forecast_.planned;
    forecast_.seconds += planned.seconds;
    forecast_.isRehearsal = forecast_.isRehearsal || planned.isRehearsal;
    const Issue* error = firstErrorIn(planned.issues);
    if (planned.isBusy) {
        ++forecast_.unknown;
    } else if (error) {
        if (++forecast_.refused == 1) {
            forecast_.problem =
                tr("%1: %2").arg(title, QString::fromStdString(error->message.str()));
        }
    }
    Q_EMIT changed(forecast_);
}

}  // namespace lowtide::ui
