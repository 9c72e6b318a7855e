#include "plugin/interop/export.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/interop/class_choice.hpp"
#include "plugin/interop/expanded_graph.hpp"
#include "plugin/interop/exported_values.hpp"
#include "plugin/interop/json_members.hpp"
#include "plugin/interop/model_parts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::interop {

namespace {

/// Canvas units from a node to a further one that stands for a part of it.
constexpr double kBelow = 220;
constexpr double kAbove = -160;

/// An output of a class that has what an output of ours has.
struct TypedSocket {
    std::string type;
    Socket socket;
};

/// A node that stands between the wires of another one, as ControlNets between those of prompts.
struct WireRider {
    PromptNode node;
    const ClassRow* row = nullptr;
    std::vector<size_t> before;  ///< riders that come first
};

/// One export.
class PromptMaker {
public:
    PromptMaker(const graph::Document& given,
                const ExpandedGraph& graph,
                const graph::Snapshot& snapshot,
                const ClassTable& table)
        : given_(given),
          graph_(graph),
          document_(graph.document),
          snapshot_(snapshot),
          classes_(table),
          values_(snapshot, table) {}

    Exported make() {
        report_.source = "Lowtide graph";
        for (const graph::SnapshotNode& node : snapshot_.nodes) {
            for (const graph::SnapshotInput& input : node.inputs) {
                if (const auto source = sourceOf(input); source && !node.desc->control) {
                    used_.insert({source->node, source->port});
                }
            }
        }
        findCompounds();
        for (size_t i = 0; i < snapshot_.nodes.size(); ++i) {
            if (!snapshot_.nodes[i].desc->control) {
                exportNode(i);
            }
        }
        addReport();
        return {.prompt = std::move(prompt_), .report = std::move(report_)};
    }

private:
    using Names = std::map<std::string, std::string>;

    /// One node that is being made.
    struct Making {
        size_t index = 0;
        const ClassRow& row;
        const Names& names;  ///< ours that stand for those of the recipe
        PromptNode node{};

        [[nodiscard]] const Recipe& recipe() const { return row.recipes.front(); }

        [[nodiscard]] std::string named(const std::string& name) const {
            const auto other = names.find(name);
            return other == names.end() ? name : other->second;
        }
    };

    [[nodiscard]] std::optional<graph::SnapshotOutput> sourceOf(
        const graph::SnapshotInput& input) const {
        return graph::behindControl(snapshot_,
                                    {.node = input.sourceNode, .port = input.sourcePort});
    }

    void exportNode(size_t index) {
        const graph::SnapshotNode& node = snapshot_.nodes[index];
        near_.clear();
        missing_.clear();
        if (prompt_.nodes.size() >= kMostPromptNodes) {  // nodes in between may be many
            missing_.push_back(message("there are more than {} nodes there", kMostPromptNodes));
            report(node);
            return;
        }
        if (const auto part = parts_.find(index); part != parts_.end()) {
            noteDifferences(node, *part->second);
            report(node);
            return;
        }
        const auto choice = classes_.choose(node, values_, [&](const graph::SnapshotInput& input) {
            return ridesOn(input) || isOfCompound(index, input.port);
        });
        if (!choice) {
            missing_.push_back(message("no node of ComfyUI stands for it"));
            lacking_.insert(index);
        } else {
            near_ = choice->near;
            missing_ = choice->missing;
            const ExportRule& rule = choice->row->exported;
            const bool isTwice = std::ranges::any_of(rule.again, [&](const auto& names) {
                return used_.contains({index, names.second});
            });
            if (isTwice) {
                if (values_.holds(rule.againNear, node)) {
                    near_.emplace_back(textIn(rule.againNear, "why"));
                }
                makeNode({.index = index, .row = *choice->row, .names = rule.again});
            }
            if (!isTwice || usesOutputOf(index, *choice->row)) {
                makeNode({.index = index, .row = *choice->row, .names = kNoNames});
            }
        }
        report(node);
    }

    [[nodiscard]] bool usesOutputOf(size_t index, const ClassRow& row) const {
        return std::ranges::any_of(row.recipes.front().outputs, [&](const std::string& port) {
            return used_.contains({index, port});
        });
    }

    /// Of nodes that stand for one of the graph, together.
    void report(const graph::SnapshotNode& node) {
        const std::string& id = graph_.originOf(node.id);
        const auto [known, isNew] = reported_.try_emplace(id);
        if (isNew) {
            order_.push_back(id);
            note(graph_.differences, id, near_);
            note(graph_.obstacles, id, missing_);
            known->second.type = id == node.id ? node.desc->id : given_.nodes.at(id).type;
        }
        addNew(known->second.near, near_);
        addNew(known->second.missing, missing_);
    }

    static void note(const std::map<std::string, Message>& messages,
                     const std::string& id,
                     std::vector<Message>& whys) {
        if (const auto why = messages.find(id); why != messages.end()) {
            whys.insert(whys.begin(), why->second);
        }
    }

    static void addNew(std::vector<Message>& whys, const std::vector<Message>& more) {
        for (const Message& why : more) {
            if (std::ranges::find(whys, why) == whys.end()) {
                whys.push_back(why);
            }
        }
    }

    void addReport() {
        for (const std::string& id : order_) {
            const Reported& node = reported_.at(id);
            auto& list = !node.missing.empty() ? report_.missing
                         : !node.near.empty()  ? report_.near
                                               : report_.exact;
            list.push_back({.id = id,
                            .name = node.type,
                            .title = given_.nodes.at(id).title.value_or(""),
                            .why = !node.missing.empty() ? node.missing : node.near});
        }
    }

    // One node

    void makeNode(Making making) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        const graph::DocumentNode& saved = document_.nodes.at(ours.id);
        making.node.type = making.row.name;
        making.node.title = saved.title.value_or("");
        making.node.position = saved.position;
        if (!making.names.empty()) {
            making.node.position = moved(making.node.position, kBelow);
        }
        take(values_.ofClass(making.row, ours, making.names), making.node);
        wireInputs(making);
        addWires(making);
        addCompound(making);
        if (isWireRider(making.row)) {
            riders_[making.index] = {
                .node = std::move(making.node), .row = &making.row, .before = ridersOf(making)};
            return;
        }
        addParamRiders(making);
        for (const size_t rider : ridersOf(making)) {
            rideOn(riders_.at(rider), making.node);
        }
        runThroughSources(making.node);
        addCarriedWires(making);
        const std::string id = put(std::move(making.node), making.row);
        addOutputs(making, id);
        addParts(making);
    }

    static Json moved(Json position, double down) {
        if (position.is_array() && position.size() == 2 && position[1].is_number()) {
            position[1] = position[1].get<double>() + down;
        }
        return position;
    }

    /// A node that goes with the one of ours, which has values for it.
    PromptNode furtherNode(const ClassRow& row, const graph::SnapshotNode& ours) {
        PromptNode node;
        node.type = row.name;
        node.position = moved(document_.nodes.at(ours.id).position, kAbove);
        take(values_.ofClass(row, ours, kNoNames), node);
        return node;
    }

    void take(ExportedValues values, PromptNode& node) {
        for (auto& [input, value] : values.inputs) {
            node.inputs[input] = {.from = std::nullopt, .value = std::move(value)};
        }
        near_.insert(near_.end(), values.near.begin(), values.near.end());
        missing_.insert(missing_.end(), values.missing.begin(), values.missing.end());
    }

    std::string put(PromptNode node, const ClassRow& row) {
        std::string id = std::to_string(prompt_.nodes.size() + 1);
        rows_[id] = &row;
        prompt_.nodes.emplace(id, std::move(node));
        return id;
    }

    void wireInputs(Making& making) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        for (const auto& [port, name] : making.recipe().nodes.front().inputs) {
            const graph::SnapshotInput* input = ours.input(port);
            if (input != nullptr && !isOfCompound(making.index, port)) {
                wireInput(making, *input, name);
            }
        }
        const std::vector<std::string>& through = making.recipe().through;
        for (size_t slot = 0; slot < through.size(); ++slot) {  // a second wire, as LoraLoader's
            const bool isOutput =
                slot < making.recipe().outputs.size() && !making.recipe().outputs[slot].empty();
            if (!isOutput || through[slot].empty() || making.node.inputs.contains(through[slot])) {
                continue;
            }
            const PortDesc* port = graph::passedInput(*ours.desc, making.recipe().outputs[slot]);
            const auto* input = port == nullptr ? nullptr : ours.input(port->id);
            if (input != nullptr && !isOfCompound(making.index, port->id)) {
                wireInput(making, *input, through[slot]);
            }
        }
    }

    void wireInput(Making& making, const graph::SnapshotInput& input, const std::string& name) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        const std::string type =
            classes_.typeOfInput(name, graph::findInput(*ours.desc, input.port)->type);
        if (const auto socket = resolved(input, type, making)) {
            making.node.inputs[name] = {.from = *socket, .value = {}};
        }
    }

    /// What the row's rule states of wires.
    void addWires(Making& making) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        for (const auto& [name, wanted] : making.row.exported.wires) {
            const size_t dot = wanted.find('.');
            const graph::SnapshotInput* input = ours.input(wanted.substr(0, dot));
            const auto socket =
                input == nullptr ? std::nullopt : socketFor(*input, wanted.substr(dot + 1), making);
            if (socket) {
                making.node.inputs[name] = {.from = *socket, .value = {}};
            }
        }
        copyInputs(making.row, making.node, making.node);
    }

    /// Inputs that are wired as another one of `from`.
    static void copyInputs(const ClassRow& row, const PromptNode& from, PromptNode& node) {
        for (const auto& [name, other] : row.exported.inputs) {
            const auto source = from.inputs.find(other);
            if (!node.inputs.contains(name) && source != from.inputs.end()) {
                const PromptInput same = source->second;
                node.inputs[name] = same;
            }
        }
    }

    // Where wires come from

    /// The socket of that type which has what the input is given; where there is none, that is
    /// missing.
    std::optional<Socket> resolved(const graph::SnapshotInput& input,
                                   const std::string& type,
                                   const Making& consumer) {
        std::optional<Socket> socket = socketFor(input, type, consumer);
        const auto source = sourceOf(input);
        if (!socket && !(source && lacking_.contains(source->node))) {  // which has its own report
            missing_.push_back(message("nothing before it gives ComfyUI's {}", type));
        }
        return socket;
    }

    std::optional<Socket> socketFor(const graph::SnapshotInput& input,
                                    const std::string& type,
                                    const Making& consumer) {
        std::optional<graph::SnapshotOutput> at = sourceOf(input);
        for (size_t hop = 0; at && hop <= snapshot_.nodes.size(); ++hop) {
            const std::vector<TypedSocket>& sockets = outputs_[{at->node, at->port}];
            const auto socket = std::ranges::find(sockets, type, &TypedSocket::type);
            if (socket != sockets.end()) {
                return socket->socket;
            }
            for (const TypedSocket& each : sockets) {
                if (const ClassRow* row = classes_.converter(each.type, type)) {
                    return converted(each.socket, *row, consumer);
                }
            }
            at = sourceBehind(*at);
        }
        return std::nullopt;
    }

    /// Of a model that a node hands on: what of it the class there does not take runs past it.
    [[nodiscard]] std::optional<graph::SnapshotOutput> sourceBehind(
        const graph::SnapshotOutput& output) const {
        const graph::SnapshotNode& node = snapshot_.nodes[output.node];
        const PortDesc* port = graph::passedInput(*node.desc, output.port);
        if (port == nullptr || port->type != "MODEL") {
            return std::nullopt;
        }
        const graph::SnapshotInput* input = node.input(port->id);
        return input == nullptr ? std::nullopt : sourceOf(*input);
    }

    /// "IMAGE" as "VIDEO", "CLIP_VISION" as its output for the image of the consumer.
    Socket converted(const Socket& socket, const ClassRow& row, const Making& consumer) {
        PromptNode node = furtherNode(row, snapshot_.nodes[consumer.index]);
        node.inputs[row.recipes.front().through.front()] = {.from = socket, .value = {}};
        copyInputs(row, consumer.node, node);
        return {.node = put(std::move(node), row), .slot = 0};
    }

    void addOutputs(const Making& making, const std::string& id) {
        const std::vector<std::string>& outputs = making.recipe().outputs;
        for (size_t slot = 0; slot < outputs.size(); ++slot) {
            if (!outputs[slot].empty() && slot < making.row.outputTypes.size()) {
                outputs_[{making.index, making.named(outputs[slot])}].push_back(
                    {.type = making.row.outputTypes[slot],
                     .socket = {.node = id, .slot = static_cast<int>(slot)}});
            }
        }
    }

    /// What goes with a model as nodes of their own, before what its loader gives.
    void addParts(const Making& making) {
        if (making.row.role != ModelRole::Model) {
            return;
        }
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        std::vector<TypedSocket>& sockets =
            outputs_[{making.index, making.recipe().outputs.front()}];
        for (const ModelRole role :
             {ModelRole::TextEncoder, ModelRole::Autoencoder, ModelRole::ImageEncoder}) {
            const graph::SnapshotInput* input = ours.input(portOfRole(role));
            if (const auto source = input == nullptr ? std::nullopt : sourceOf(*input)) {
                const std::vector<TypedSocket> part = outputs_[{source->node, source->port}];
                sockets.insert(sockets.begin(), part.begin(), part.end());
            }
        }
        for (const ParamDesc& param : ours.desc->params) {
            const auto* file = std::get_if<std::string>(&ours.params.at(param.id));
            if (param.kind == ParamKind::File && !ClassChoice::isTaken(making.row, param.id) &&
                file != nullptr && !file->empty()) {
                addPartOf(ours, param.id, *file, sockets);
            }
        }
    }

    /// A file that our loader takes in place of one of the checkpoint's.
    void addPartOf(const graph::SnapshotNode& ours,
                   const std::string& param,
                   const std::string& file,
                   std::vector<TypedSocket>& sockets) {
        const auto [row, input] = classes_.loaderOf(param, file);
        if (row == nullptr) {
            return;
        }
        PromptNode node = furtherNode(*row, ours);
        node.inputs[input] = {.from = std::nullopt, .value = fileNameThere(file)};
        const std::string id = put(std::move(node), *row);
        sockets.insert(sockets.begin(),
                       {.type = row->outputTypes.front(), .socket = {.node = id, .slot = 0}});
    }

    // Several nodes that are one there

    /// A class that stands for nodes before one of ours, as InpaintModelConditioning for both
    /// encodings of an image.
    struct Compound {
        const ClassRow* row = nullptr;
        std::map<std::string, const graph::SnapshotInput*> inputs{};  ///< by those of the class
        std::map<size_t, const RecipeNode*> parts{};                  ///< nodes that it stands for
        std::map<std::string, int> outputs{};  ///< that feed ports of ours, and of which it has all
    };

    void findCompounds() {
        for (size_t index = 0; index < snapshot_.nodes.size(); ++index) {
            for (const ClassRow* row : classes_.compounds()) {
                if (std::optional<Compound> made = compoundOf(snapshot_.nodes[index], *row)) {
                    compounds_.emplace(index, std::move(*made));
                }
            }
        }
        for (const auto& [index, compound] : compounds_) {
            for (const auto& [part, node] : compound.parts) {
                if (isUsedByCompounds(part)) {
                    parts_[part] = node;
                }
            }
        }
    }

    std::optional<Compound> compoundOf(const graph::SnapshotNode& ours, const ClassRow& row) const {
        Compound made{.row = &row};
        const Recipe& recipe = row.recipes.front();
        for (const auto& [port, source] : recipe.carries) {
            const graph::SnapshotInput* input = ours.input(port);
            if (input == nullptr ||
                (source.starts_with('@') && !takePart(*input, partNamed(recipe, source), made))) {
                return std::nullopt;
            }
        }
        for (const auto& [port, source] : recipe.carries) {
            const auto same = made.inputs.find(source);
            const bool isSame =
                same != made.inputs.end() && isOneSource(*same->second, *ours.input(port));
            if (!source.starts_with('@') && !isSame) {
                return std::nullopt;
            }
            made.outputs[port] = -1;
        }
        takeOutputs(ours, made);
        return made;
    }

    /// Outputs of the recipe's first node that feed ours: the class has them, too. What it is not
    /// the source of, such as a mask for another latent, is wired as always.
    void takeOutputs(const graph::SnapshotNode& ours, Compound& made) const {
        const Recipe& recipe = made.row->recipes.front();
        bool isFed = false;
        for (size_t slot = 0; slot < recipe.outputs.size(); ++slot) {
            for (const graph::SnapshotInput& input : ours.inputs) {
                const auto source = sourceOf(input);
                const bool isIt = source && source->port == recipe.outputs[slot] &&
                                  !made.outputs.contains(input.port);
                if (isIt && takePart(input, &recipe.nodes.front(), made)) {
                    made.outputs[input.port] = static_cast<int>(slot);
                    isFed = true;
                }
            }
        }
        for (const auto& [port, source] : recipe.carries) {
            if (!isFed && !source.starts_with('@')) {
                made.outputs.erase(port);
            }
        }
    }

    /// "@name.port"; nullptr: the first node.
    static const RecipeNode* partNamed(const Recipe& recipe, const std::string& source) {
        const std::string name = source.substr(1, source.find('.') - 1);
        const auto part = std::ranges::find(recipe.nodes, name, &RecipeNode::name);
        return part == recipe.nodes.end() ? nullptr : &*part;
    }

    [[nodiscard]] bool isOneSource(const graph::SnapshotInput& a,
                                   const graph::SnapshotInput& b) const {
        const auto from = sourceOf(a), other = sourceOf(b);
        return from && other && from->node == other->node && from->port == other->port;
    }

    /// Whether the node before that input is the part, fed by what feeds the other parts.
    bool takePart(const graph::SnapshotInput& input, const RecipeNode* part, Compound& made) const {
        const auto source = sourceOf(input);
        const graph::SnapshotNode* ours = source ? &snapshot_.nodes[source->node] : nullptr;
        if (ours == nullptr || part == nullptr || ours->desc->id != part->type ||
            ours->inputs.size() != part->inputs.size()) {
            return false;
        }
        std::map<std::string, const graph::SnapshotInput*> inputs = made.inputs;
        for (const auto& [port, name] : part->inputs) {
            const graph::SnapshotInput* own = ours->input(port);
            const auto [known, isNew] = inputs.try_emplace(name, own);
            if (own == nullptr || (!isNew && !isOneSource(*known->second, *own))) {
                return false;
            }
        }
        made.inputs = std::move(inputs);
        made.parts[source->node] = part;
        return true;
    }

    [[nodiscard]] bool isUsedByCompounds(size_t part) const {
        for (size_t index = 0; index < snapshot_.nodes.size(); ++index) {
            for (const graph::SnapshotInput& input : snapshot_.nodes[index].inputs) {
                const auto source = sourceOf(input);
                if (source && source->node == part && !snapshot_.nodes[index].desc->control &&
                    !isOfCompound(index, input.port)) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] bool isOfCompound(size_t index, const std::string& port) const {
        const auto compound = compounds_.find(index);
        return compound != compounds_.end() && compound->second.outputs.contains(port);
    }

    /// Where the class has other values than the node that is a part of it.
    void noteDifferences(const graph::SnapshotNode& ours, const RecipeNode& part) {
        for (const ParamDesc& param : ours.desc->params) {
            const auto spec = part.params.find(param.id);
            const Json value = graph::toJson(ours.params.at(param.id));
            const Json there = spec == part.params.end() ? graph::toJson(param.defaultValue)
                                                         : memberIn(spec->second, "is");
            if (value != there && !param.cosmetic) {
                near_.push_back(message("{} is {}, in ComfyUI it is {}",
                                        param.label,
                                        shownValue(value),
                                        shownValue(there)));
            }
        }
    }

    /// The wire type here of an input of the class.
    [[nodiscard]] std::string typeOfPart(const Compound& compound, const std::string& name) const {
        for (const auto& [index, part] : compound.parts) {
            for (const auto& [port, input] : part->inputs) {
                if (input == name) {
                    return graph::findInput(*snapshot_.nodes[index].desc, port)->type;
                }
            }
        }
        return {};
    }

    void addCompound(Making& making) {
        const auto found = compounds_.find(making.index);
        if (found == compounds_.end()) {
            return;
        }
        const Compound& compound = found->second;
        PromptNode node = furtherNode(*compound.row, snapshot_.nodes[making.index]);
        for (const auto& [name, input] : compound.inputs) {
            const std::string type = classes_.typeOfInput(name, typeOfPart(compound, name));
            if (const auto socket = resolved(*input, type, making)) {
                node.inputs[name] = {.from = *socket, .value = {}};
            }
        }
        const Recipe& recipe = compound.row->recipes.front();
        std::vector<std::pair<std::string, int>> outputs;
        for (size_t slot = 0; slot < recipe.through.size(); ++slot) {
            const auto through = making.node.inputs.find(recipe.through[slot]);
            if (!recipe.through[slot].empty() && through != making.node.inputs.end()) {
                node.inputs[through->first] = through->second;
                outputs.emplace_back(through->first, static_cast<int>(slot));
            }
        }
        for (const auto& [port, slot] : compound.outputs) {
            const auto input = making.recipe().nodes.front().inputs.find(port);
            if (slot >= 0 && input != making.recipe().nodes.front().inputs.end()) {
                outputs.emplace_back(input->second, slot);
            }
        }
        const std::string id = put(std::move(node), *compound.row);
        for (const auto& [name, slot] : outputs) {
            making.node.inputs[name] = {.from = Socket{.node = id, .slot = slot}, .value = {}};
        }
    }

    // Nodes in between

    /// Whether the class is wired between others, as ControlNets are: an input of ours for each of
    /// its outputs takes what it has.
    static bool isWireRider(const ClassRow& row) {
        const auto& carries = row.recipes.front().carries;
        return std::ranges::any_of(carries,
                                   [](const auto& wire) { return wire.second.starts_with("@."); });
    }

    /// Whether a node in between stands for what the input of ours takes.
    [[nodiscard]] bool ridesOn(const graph::SnapshotInput& input) const {
        const auto source = sourceOf(input);
        const auto rider = source ? riders_.find(source->node) : riders_.end();
        return rider != riders_.end() &&
               rider->second.row->recipes.front().carries.contains(input.port);
    }

    [[nodiscard]] std::vector<size_t> ridersOf(const Making& making) const {
        std::vector<size_t> riders;
        for (const graph::SnapshotInput& input : snapshot_.nodes[making.index].inputs) {
            if (!making.recipe().nodes.front().inputs.contains(input.port) && ridesOn(input)) {
                riders.push_back(sourceOf(input)->node);
            }
        }
        return riders;
    }

    /// Puts one more node of the rider's class before the inputs that it has in common.
    void rideOn(const WireRider& rider, PromptNode& node) {
        for (const size_t before : rider.before) {
            rideOn(riders_.at(before), node);
        }
        PromptNode between = rider.node;
        const std::vector<std::string>& through = rider.row->recipes.front().through;
        std::vector<std::pair<std::string, int>> back;
        for (size_t slot = 0; slot < through.size(); ++slot) {
            const auto input = node.inputs.find(through[slot]);
            if (!through[slot].empty() && input != node.inputs.end()) {
                between.inputs[through[slot]] = input->second;
                back.emplace_back(through[slot], static_cast<int>(slot));
            }
        }
        const std::string id = put(std::move(between), *rider.row);
        for (const auto& [name, slot] : back) {
            node.inputs[name] = {.from = Socket{.node = id, .slot = slot}, .value = {}};
        }
    }

    /// Parameters that are classes of their own there, as clip skip and the shift of flows.
    void addParamRiders(Making& making) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        for (const ParamDesc& param : ours.desc->params) {
            if (ClassChoice::isTaken(making.row, param.id) ||
                ours.params.at(param.id) == param.defaultValue) {
                continue;
            }
            const ClassRow* row = classes_.riderOf(param.id, ours, values_);
            const std::string type =
                row == nullptr ? std::string()
                               : classes_.typeOfInput(row->recipes.front().through.front(), "");
            for (auto& [name, input] : making.node.inputs) {
                if (!type.empty() && input.from && classes_.typeOfInput(name, "") == type) {
                    input.from = between(*input.from, *row, ours);
                    break;
                }
            }
        }
    }

    /// One node for all that have the same values and the same wire.
    Socket between(const Socket& socket, const ClassRow& row, const graph::SnapshotNode& ours) {
        PromptNode node = furtherNode(row, ours);
        node.inputs[row.recipes.front().through.front()] = {.from = socket, .value = {}};
        Json key = {row.name, socket.node, socket.slot};
        for (const auto& [name, input] : node.inputs) {
            key.push_back(input.value);
        }
        auto [known, isNew] = shared_.try_emplace(std::move(key));
        if (isNew) {
            known->second = put(std::move(node), row);
        }
        return {.node = known->second, .slot = 0};
    }

    /// Wires that a class in between adds, as SetLatentNoiseMask a mask.
    void addCarriedWires(Making& making) {
        const graph::SnapshotNode& ours = snapshot_.nodes[making.index];
        for (const graph::SnapshotInput& input : ours.inputs) {
            const ClassRow* row = making.recipe().nodes.front().inputs.contains(input.port)
                                      ? nullptr
                                      : classes_.carrierOf(input.port);
            if (row == nullptr || ridesOn(input) || isOfCompound(making.index, input.port)) {
                continue;
            }
            const Recipe& recipe = row->recipes.front();
            const std::string& wire = recipe.carries.at(input.port);
            for (const auto& [port, name] : making.recipe().nodes.front().inputs) {
                const PortDesc* taken = graph::findInput(*ours.desc, port);
                const auto target = making.node.inputs.find(name);
                if (taken == nullptr || taken->type != row->outputTypes.front() ||
                    target == making.node.inputs.end()) {
                    continue;
                }
                PromptNode node = furtherNode(*row, ours);
                node.inputs[recipe.through.front()] = target->second;
                if (const auto socket = resolved(
                        input,
                        classes_.typeOfInput(wire, graph::findInput(*ours.desc, input.port)->type),
                        making)) {
                    node.inputs[wire] = {.from = *socket, .value = {}};
                }
                target->second.from = Socket{.node = put(std::move(node), *row), .slot = 0};
            }
        }
    }

    /// A class that makes a latent of a first image may give prompts, too: they run through it.
    void runThroughSources(PromptNode& node) {
        const std::map<std::string, PromptInput> inputs = node.inputs;
        for (const auto& [name, input] : inputs) {
            const auto source = input.from ? rows_.find(input.from->node) : rows_.end();
            if (source == rows_.end() || source->second->recipes.front().nodes.empty()) {
                continue;
            }
            const Recipe& recipe = source->second->recipes.front();
            PromptNode& made = prompt_.nodes.at(input.from->node);
            for (size_t slot = 0; slot < recipe.through.size(); ++slot) {
                const std::string& through = recipe.through[slot];
                const bool isOutput = slot < recipe.outputs.size() && !recipe.outputs[slot].empty();
                if (through.empty() || isOutput || through == name || !inputs.contains(through) ||
                    made.inputs.contains(through)) {
                    continue;
                }
                made.inputs[through] = inputs.at(through);
                node.inputs[through] = {
                    .from = Socket{.node = input.from->node, .slot = static_cast<int>(slot)},
                    .value = {}};
            }
        }
    }

    inline static const Names kNoNames{};

    /// A node of the graph that was given.
    struct Reported {
        std::string type{};
        std::vector<Message> near{};
        std::vector<Message> missing{};
    };

    const graph::Document& given_;
    const ExpandedGraph& graph_;
    const graph::Document& document_;  ///< with nodes for which ComfyUI has one each
    const graph::Snapshot& snapshot_;
    ClassChoice classes_;
    ExportValues values_;
    Prompt prompt_;
    ImportReport report_;
    std::set<std::pair<size_t, std::string>> used_;  ///< outputs that something is wired to
    std::set<size_t> lacking_;                       ///< nodes that no class stands for
    std::map<std::pair<size_t, std::string>, std::vector<TypedSocket>> outputs_;
    std::map<size_t, WireRider> riders_;
    std::map<size_t, Compound> compounds_;         ///< by the nodes that they feed
    std::map<size_t, const RecipeNode*> parts_;    ///< nodes that stand in those alone
    std::map<std::string, const ClassRow*> rows_;  ///< of the nodes that were made
    std::map<Json, std::string> shared_;           ///< nodes in between by what they are
    std::map<std::string, Reported> reported_;
    std::vector<std::string> order_;  ///< of what was reported
    std::vector<Message> near_;       ///< of the node that is exported
    std::vector<Message> missing_;
};

}  // namespace

Exported exportGraph(const graph::Document& document,
                     const graph::Catalog& catalog,
                     const ClassTable& table) {
    const ExpandedGraph expanded = expandForComfyUi(document, catalog, table);
    const auto snapshot = graph::makeSnapshot(expanded.document, catalog);
    return PromptMaker(document, expanded, *snapshot, table).make();
}

void requireComplete(const Exported& exported) {
    std::vector<Message> nodes;
    for (const ReportEntry& entry : exported.report.missing) {
        nodes.push_back(
            message("{} ({}): {}", quotedName(entry.id), entry.name, joined(entry.why, "; ")));
    }
    if (!nodes.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("ComfyUI has no counterpart of this graph: {}", listSome(nodes)),
                    message("choose other values there, or leave these nodes out"));
    }
}

}  // namespace lowtide::interop
