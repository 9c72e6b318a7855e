#include "ui/panels/fixes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/plan_refusal.hpp"
#include "plugin/memory/policy.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/node_title.hpp"
#include "ui/document/prompt_loras.hpp"
#include "ui/panels/memory_settings.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>
#include <cmath>
#include <optional>

namespace lowtide::ui {

namespace {

QString quoted(const std::string& text) {
    return QString::fromStdString(text);
}

/// What lies in the module.
constexpr const char* kBuiltin = "builtin:";

/// Of a path of any system.
QString fileNameIn(const std::string& path) {
    return quoted(path.substr(path.find_last_of("/\\") + 1));
}

/// What another version of the module proposes may be none here.
bool isPolicy(const std::string& text) {
    try {
        static_cast<void>(memory::parsePolicy(text));
        return !text.empty();
    } catch (const Error&) {
        return false;
    }
}

/// The node's own policy; none where it has none that can be read.
memory::Policy policyOf(const graph::DocumentNode& node) {
    try {
        return node.memory.is_null() ? memory::Policy{} : memory::policyFromJson(node.memory, "");
    } catch (const Error&) {
        return {};
    }
}

/// The policy in place of the node's own, and of its components' where those are looser; where each
/// computes is left as it was.
Edit policyEdit(const std::string& node, const std::string& text) {
    return [node, text](graph::Document& document) {
        graph::DocumentNode& changed = document.nodes.at(node);
        const memory::Policy own = policyOf(changed);
        const auto& rungs = memory::kTighterPolicies;
        const auto rung = std::ranges::find(rungs, text);
        const memory::Policy policy =
            text == "auto" ? memory::relaxedToAuto(own)
            : rung == rungs.end()
                ? memory::parsePolicy(text)
                : memory::tightened(own, static_cast<size_t>(rung - rungs.begin()));
        changed.memory = policy == memory::parsePolicy(text) ? Json(text) : memory::toJson(policy);
    };
}

Edit deviceEdit(const std::string& node, const char* device) {
    return [node, device](graph::Document& document) {
        graph::DocumentNode& changed = document.nodes.at(node);
        memory::Policy policy = policyOf(changed);
        policy.device = memory::parseDeviceSpec(device);
        changed.memory = memory::toJson(policy);
    };
}

std::vector<Fix> memoryFixes(const Issue& issue,
                             const graph::Document& document,
                             const graph::Catalog& catalog) {
    std::vector<Fix> fixes;
    const Json facts = factsOf(issue);
    const std::string policy = textIn(facts, "policy");
    const std::string device = textIn(facts, "device");
    const Bytes least = bytesIn(facts, "budget");
    const bool hasNode = document.nodes.contains(issue.node);
    const QString name = distinctNodeTitle(document, catalog, issue.node);
    if (hasNode && isPolicy(policy)) {
        fixes.push_back({Notice::tr("Set the memory policy of %1 to %2").arg(name, quoted(policy)),
                         policyEdit(issue.node, policy)});
    }
    if (least > 0 && document.memoryBudget) {
        const std::string budget = withBudget(
            *document.memoryBudget, device, bytesIn(facts, "capacity"), roundedUp(least));
        fixes.push_back({Notice::tr("Raise the budget to %1").arg(wholeBytesText(roundedUp(least))),
                         [budget](graph::Document& changed) { changed.memoryBudget = budget; }});
    }
    if (hasNode && policy.empty() && !device.empty() && device != "cpu") {
        fixes.push_back(
            {Notice::tr("Compute %1 on the CPU").arg(name), deviceEdit(issue.node, "cpu")});
    }
    return fixes;
}

/// The file with the denoiser of that node; nothing where there is none of the user's own.
std::optional<NamedModel> denoiserFile(const std::string& node,
                                       const graph::Document& document,
                                       const graph::Catalog& catalog) {
    const NodeDesc* desc = descOf(document, catalog, node);
    const auto loader = document.nodes.find(modelSource(document, catalog, node));
    if (!desc || !hasDenoiser(*desc) || loader == document.nodes.end()) {
        return std::nullopt;
    }
    for (const ModelKind kind : {ModelKind::Denoiser, ModelKind::Checkpoint}) {
        const std::optional<ModelParam> param = paramOf(kind);
        const bool isTaken = param && param->nodeType == loader->second.type;
        const std::string file =
            isTaken ? textIn(loader->second.params, param->param.c_str()) : std::string();
        if (!file.empty()) {
            return file.starts_with(kBuiltin) ? std::nullopt
                                              : std::optional(NamedModel{kind, file});
        }
    }
    return std::nullopt;
}

std::optional<Json> limitOf(const ParamDesc& param, bool isTooSmall) {
    const std::optional<double> limit = isTooSmall ? param.min : param.max;
    if (!limit) {
        return std::nullopt;
    }
    return param.kind == ParamKind::Float ? Json(*limit) : Json(std::llround(*limit));
}

Fix valueFix(const Issue& issue, const ParamDesc& param, const Json& value) {
    return {Notice::tr("Set %1 to %2").arg(quoted(param.label), quoted(value.dump())),
            [node = issue.node, id = param.id, value](graph::Document& document) {
                document.nodes.at(node).params[id] = value;
            }};
}

std::vector<Fix> valueFixes(const Issue& issue, const ParamDesc& param) {
    std::vector<Fix> fixes;
    const bool isTooSmall = issue.code == "value_smaller_than_min";
    if (isTooSmall || issue.code == "value_bigger_than_max") {
        if (const auto limit = limitOf(param, isTooSmall)) {
            fixes.push_back(valueFix(issue, param, *limit));
        }
    }
    if (const Json value = graph::toJson(param.defaultValue); !value.is_null()) {
        fixes.push_back(valueFix(issue, param, value));
    }
    if (fixes.size() == 2 && fixes[0].label == fixes[1].label) {
        fixes.pop_back();
    }
    return fixes;
}

/// A file that the graph names and nobody finds. What lies in the module is there always.
std::vector<Fix> locateFix(const ParamDesc& param, const graph::DocumentNode& node) {
    const std::string file = textIn(node.params, param.id.c_str());
    if (file.empty() || file.starts_with(kBuiltin)) {
        return {};
    }
    return {{Notice::tr("Locate %1...").arg(fileNameIn(file)), {}}};
}

/// What goes through the node that is put before a port.
struct Rerouted {
    graph::PortRef image;
    std::optional<graph::PortRef> mask;   ///< of the node that gives the image
    std::optional<graph::PortRef> model;  ///< of the node that refuses the image
};

std::optional<Rerouted> reroutedBefore(const graph::PortRef& to,
                                       const graph::Document& document,
                                       const graph::Catalog& catalog) {
    const graph::Link* link = linkInto(document, to);
    if (!link) {
        return std::nullopt;
    }
    Rerouted rerouted{.image = link->from, .mask = {}, .model = {}};
    const NodeDesc* maker = descOf(document, catalog, link->from.node);
    if (const PortDesc* mask = maker ? portOfType(maker->outputs, "MASK") : nullptr) {
        rerouted.mask = graph::PortRef{link->from.node, mask->id};
    }
    const NodeDesc* taker = descOf(document, catalog, to.node);
    const PortDesc* model = taker ? portOfType(taker->inputs, kModelType) : nullptr;
    if (const graph::Link* given = model ? linkInto(document, {to.node, model->id}) : nullptr) {
        rerouted.model = given->from;
    }
    return rerouted;
}

/// Takes every wire from `from` through the ports of that type.
void reroute(graph::Document& document,
             const graph::PortRef& from,
             const std::string& node,
             const NodeDesc& desc,
             const std::string& type) {
    const PortDesc* input = portOfType(desc.inputs, type);
    const PortDesc* output = portOfType(desc.outputs, type);
    if (!input || !output) {
        return;
    }
    const std::vector<graph::Link> links = document.links;
    for (const graph::Link& link : links) {
        if (link.from == from) {
            connect(document, {node, output->id}, link.to);
            connect(document, from, {node, input->id});
        }
    }
}

/// Puts a node into the wire of an image that is refused. Where a mask comes from the same node,
/// it goes through as well, so that both still fit each other; the model that refused states which
/// sides it takes.
void insertBefore(graph::Document& document,
                  const graph::PortRef& to,
                  const NodeDesc& desc,
                  const Rerouted& rerouted) {
    CanvasSizes sizes;
    const std::string id =
        addNodeNear(document, desc, positionOf(document.nodes.at(to.node)), sizes);
    reroute(document, rerouted.image, id, desc, "IMAGE");
    if (rerouted.mask) {
        reroute(document, *rerouted.mask, id, desc, "MASK");
    }
    if (const PortDesc* model = portOfType(desc.inputs, kModelType); model && rerouted.model) {
        connect(document, *rerouted.model, {id, model->id});
    }
}

std::vector<Fix> insertFixes(const Issue& issue,
                             const graph::Document& document,
                             const graph::Catalog& catalog) {
    const NodeDesc* desc = catalog.find(textIn(factsOf(issue), "insert"));
    const graph::PortRef to{issue.node, issue.item};
    const std::optional<Rerouted> rerouted = reroutedBefore(to, document, catalog);
    if (!desc || !portOfType(desc->inputs, "IMAGE") || !rerouted) {
        return {};
    }
    return {{Notice::tr("Insert %1").arg(quoted(desc->label)),
             [to, node = *desc, rerouted = *rerouted](graph::Document& changed) {
                 insertBefore(changed, to, node, rerouted);
             }}};
}

/// Tags of LoRAs that are read as words.
bool isOfTags(const Issue& issue, const graph::Document& document, const graph::Catalog& catalog) {
    const std::string prompt = textIn(document.nodes.at(issue.node).params, issue.item.c_str());
    const bool hasTag =
        prompt.find("<lora:") != std::string::npos || prompt.find("<lyco:") != std::string::npos;
    return issue.code == "prompt_syntax" && hasTag &&
           canReadPromptLoras(document, catalog, issue.node);
}

std::vector<Fix> loraFixes(const Issue& issue,
                           const graph::Document& document,
                           const graph::Catalog& catalog) {
    if (isOfTags(issue, document, catalog)) {
        return {{Notice::tr("Read LoRAs of the prompt"),
                 [&catalog, id = issue.node](graph::Document& changed) {
                     readPromptLoras(changed, catalog, id);
                 }}};
    }
    if (issue.code == kLoraWithoutDenoiser) {
        return {{Notice::tr("Use %1 for Denoise too")
                     .arg(distinctNodeTitle(document, catalog, issue.node)),
                 [&catalog, id = issue.node](graph::Document& changed) {
                     useLoraEverywhere(changed, catalog, id);
                 }}};
    }
    return {};
}

std::vector<Fix> nodeFixes(const Issue& issue,
                           const graph::Document& document,
                           const graph::Catalog& catalog) {
    const graph::DocumentNode& node = document.nodes.at(issue.node);
    if (std::vector<Fix> fixes = loraFixes(issue, document, catalog); !fixes.empty()) {
        return fixes;
    }
    const QString name = distinctNodeTitle(document, catalog, issue.node);
    if (issue.code == "policy_without_components" || issue.code == "invalid_policy") {
        return {{Notice::tr("Remove the memory policy of %1").arg(name),
                 [id = issue.node](graph::Document& changed) {
                     changed.nodes.at(id).memory = Json();
                 }}};
    }
    if (issue.code == "precision_without_components" || issue.code == "invalid_precision") {
        return {{Notice::tr("Remove the precision of %1").arg(name),
                 [id = issue.node](graph::Document& changed) {
                     changed.nodes.at(id).precision = Json();
                 }}};
    }
    if (issue.code == "unknown_parameter" && node.params.contains(issue.item)) {
        return {{Notice::tr("Remove the value of %1").arg(quoted(issue.item)),
                 [id = issue.node, item = issue.item](graph::Document& changed) {
                     changed.nodes.at(id).params.erase(item);
                 }}};
    }
    const NodeDesc* desc = catalog.find(node.type);
    const ParamDesc* param = desc ? graph::findParam(*desc, issue.item) : nullptr;
    if (param && param->kind == ParamKind::File && issue.severity == Severity::Error) {
        return locateFix(*param, node);
    }
    const bool isOfValue = issue.code.starts_with("value_") || issue.code == "invalid_input_type";
    return param && isOfValue ? valueFixes(issue, *param) : std::vector<Fix>();
}

}  // namespace

std::vector<Fix> fixesFor(const Issue& issue,
                          const graph::Document& document,
                          const graph::Catalog& catalog,
                          bool canConvert) {
    if (issue.code == "memory_infeasible") {
        std::vector<Fix> fixes = memoryFixes(issue, document, catalog);
        if (const auto model = denoiserFile(issue.node, document, catalog); model && canConvert) {
            const QString name = fileNameIn(model->value);
            fixes.push_back({Notice::tr("Convert %1 to a smaller file...").arg(name), {}, model});
        }
        return fixes;
    }
    const bool isOfBudget = issue.code == "invalid_budget" || issue.item == "memory_budget";
    if (isOfBudget && document.memoryBudget) {
        return {{Notice::tr("Remove the budget"),
                 [](graph::Document& changed) { changed.memoryBudget.reset(); }}};
    }
    if (issue.code == "invalid_device" && issue.node.empty() && document.device) {
        return {{Notice::tr("Compute on the CPU"),
                 [](graph::Document& changed) { changed.device.reset(); }}};
    }
    if (issue.code == kImageSizeCode) {
        return insertFixes(issue, document, catalog);
    }
    return document.nodes.contains(issue.node) ? nodeFixes(issue, document, catalog)
                                               : std::vector<Fix>();
}

bool applyFix(GraphModel& model, const Issue& issue, const Fix& offered) {
    for (const Fix& fix : fixesFor(issue, model.document(), model.catalog())) {
        if (fix.label == offered.label && fix.edit) {
            model.apply(fix.label, fix.edit);
            return true;
        }
    }
    return false;
}

Notice::Notice(const char* name, QWidget* parent)
    : QFrame(parent), text_(makeText({}, "text", this)), buttons_(nullptr) {
    setObjectName(name);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    columnIn(this, 2, {3, 2, 3, 2}, {text_});
    hide();
}

void Notice::showMessage(Tone tone, const QString& text, std::vector<Fix> fixes) {
    const bool isSame = tone == tone_ && text == text_->text() &&
                        std::ranges::equal(fixes, fixes_, [](const Fix& a, const Fix& b) {
                            return a.label == b.label;
                        });
    fixes_ = std::move(fixes);  // of the graph as it is now
    if (isSame) {
        return;
    }
    tone_ = tone;
    text_->setText(text);
    if (buttons_) {
        buttons_->hide();
        buttons_->deleteLater();
        buttons_ = nullptr;
    }
    if (!fixes_.empty()) {
        buttons_ = new QWidget(this);
        QBoxLayout* rows = columnIn(buttons_, 1, {});
        for (size_t i = 0; i < fixes_.size(); ++i) {
            auto* button = new QPushButton(fixes_[i].label, buttons_);
            button->setObjectName(QString("fix_%1").arg(i));
            connect(button, &QPushButton::clicked, this, [this, i] {
                const Fix chosen = fixes_.at(i);  // what it does may bring others
                Q_EMIT fixChosen(chosen);
            });
            rows->addWidget(button);
        }
        layout()->addWidget(buttons_);
    }
    setVisible(!text.isEmpty());
    update();
}

void Notice::paintEvent(QPaintEvent*) {
    const char* ground = tone_ == Tone::Error     ? "error.soft"
                         : tone_ == Tone::Warning ? "warning.soft"
                                                  : "info.soft";
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().colour(ground));
    painter.drawRoundedRect(rect(), Theme::space(1), Theme::space(1));
}

}  // namespace lowtide::ui
