#include "plugin/interop/workflow.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/interop/editor_text.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::interop {

namespace {

constexpr const char* kSubgraphInput = "-10";   ///< the node within a subgraph that its inputs are
constexpr const char* kSubgraphOutput = "-20";  ///< likewise of its outputs
constexpr int kDeepestSubgraph = 64;
constexpr int kLongestWire = 2000;          ///< nodes that a wire runs through
constexpr size_t kMostLooks = 10'000'000;   ///< at inputs and links, while wires are followed
constexpr size_t kMostOpened = 128u << 20;  ///< bytes of subgraphs, each time that one is used
constexpr int kMuted = 2;
constexpr int kBypassed = 4;

[[noreturn]] void refuseWorkflow(const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("the workflow cannot be read: {}", problem),
                message("open it in ComfyUI and save it again"));
}

/// Also of a real number without a fraction, as other programs write them.
std::optional<int64_t> wholeFrom(const Json& json) {
    if (json.is_number_integer()) {
        return json.get<int64_t>();
    }
    constexpr double kExact = 9007199254740992;  // 2^53
    const double real = json.is_number_float() ? json.get<double>() : std::nan("");
    return std::abs(real) <= kExact && real == std::floor(real)
               ? std::optional(static_cast<int64_t>(real))
               : std::nullopt;
}

/// Ids are numbers or texts; empty: it is neither.
std::string idFrom(const Json& json) {
    const std::optional<int64_t> number = wholeFrom(json);
    return json.is_string() ? json.get<std::string>()
           : number         ? std::to_string(*number)
                            : std::string();
}

int slotFrom(const Json& json) {
    constexpr int64_t kMostSlots = 100000;
    const int64_t slot = wholeFrom(json).value_or(-1);
    return slot >= 0 && slot < kMostSlots ? static_cast<int>(slot) : -1;
}

/// [x, y], also from {"0": x, "1": y}; null: it is neither.
Json pointIn(const Json& json) {
    Json point = Json::array();
    for (const size_t i : {0, 1}) {
        const Json& member =
            json.is_array() && json.size() > i ? json[i] : memberIn(json, i == 0 ? "0" : "1");
        if (!member.is_number()) {
            return {};
        }
        point.push_back(member);
    }
    return point;
}

/// Texts and members of JSON, about in bytes.
size_t weightOf(const Json& json) {
    size_t weight = json.is_string() ? json.get_ref<const std::string&>().size() + 1 : 1;
    if (json.is_structured()) {
        for (const auto& [key, member] : json.items()) {
            weight += key.size() + weightOf(member);
        }
    }
    return weight;
}

struct WorkflowLink {
    std::string from;
    int fromSlot = 0;
    std::string to;
    int toSlot = 0;
};

/// [id, from, slot, to, slot, type], or an object of them.
std::pair<std::string, WorkflowLink> linkFrom(const Json& json) {
    if (json.is_array() && json.size() >= 5) {
        return {idFrom(json[0]),
                {idFrom(json[1]), slotFrom(json[2]), idFrom(json[3]), slotFrom(json[4])}};
    }
    if (json.is_object()) {
        return {idFrom(memberIn(json, "id")),
                {idFrom(memberIn(json, "origin_id")),
                 slotFrom(memberIn(json, "origin_slot")),
                 idFrom(memberIn(json, "target_id")),
                 slotFrom(memberIn(json, "target_slot"))}};
    }
    refuseWorkflow(message("a link is neither a list of five nor an object"));
}

/// The workflow itself, or one use of a subgraph.
struct Scope {
    const Json* graph = nullptr;
    const Scope* parent = nullptr;
    const Json* instance = nullptr;  ///< the node in `parent` that this is
    std::string path;                ///< of ids down to it: "57:"; empty: the workflow
    int depth = 0;
    double right = 0, down = 0;  ///< by which it is moved, to where its instance lies
    std::map<std::string, const Json*> nodes;
    std::map<std::string, const Json*> setters;  ///< nodes that others get by that name
    std::map<std::string, WorkflowLink> links;
    std::map<std::string, std::unique_ptr<Scope>> inner;
};

int modeOf(const Json& node) {
    const Json& mode = memberIn(node, "mode");
    return mode.is_number_integer() ? static_cast<int>(mode.get<int64_t>()) : 0;
}

bool isLeftOut(const Json& node) {
    return modeOf(node) == kMuted || modeOf(node) == kBypassed;
}

const Json* entryAt(const Json& node, const char* list, int slot) {
    const Json& entries = listIn(node, list);
    return slot >= 0 && static_cast<size_t>(slot) < entries.size()
               ? &entries[static_cast<size_t>(slot)]
               : nullptr;
}

std::string typeAt(const Json& node, const char* list, int slot) {
    const Json* entry = entryAt(node, list, slot);
    return entry != nullptr ? textIn(*entry, "type") : std::string();
}

std::string widgetNameOf(const Json& input) {
    const std::string name = textIn(memberIn(input, "widget"), "name");
    return name.empty() ? textIn(input, "name") : name;
}

/// By which setters and getters find each other; empty: it has none.
std::string settingNameOf(const Json& node) {
    const Json& values = memberIn(node, "widgets_values");
    const bool isListed = values.is_array() && !values.empty() && values[0].is_string();
    return isListed ? values[0].get<std::string>() : textIn(values, "Constant");
}

/// A widget of an inner node that a subgraph shows.
struct Proxy {
    std::string node;  ///< "-1": an input of the subgraph
    std::string widget;
    const Json* value;  ///< null: the inner node has it
};

struct Definition {
    const Json* graph = nullptr;
    size_t weight = 0;
};

/// An input of a node.
struct InputAt {
    const Scope* scope = nullptr;
    const Json* node = nullptr;
    int slot = 0;
};

/// The input that a bypassed node gives to an output: of the wanted type, else of the output's,
/// at its own slot first. -1: none.
int bypassedSlot(const Json& node, int output, const std::string& wanted) {
    const int count = static_cast<int>(listIn(node, "inputs").size());
    for (const std::string& type : {wanted, typeAt(node, "outputs", output)}) {
        if (type.empty()) {
            continue;
        }
        if (output < count && typeAt(node, "inputs", output) == type) {
            return output;
        }
        for (int i = 0; i < count; ++i) {
            if (typeAt(node, "inputs", i) == type) {
                return i;
            }
        }
    }
    return -1;
}

class WorkflowReader {
public:
    WorkflowReader(const Json& workflow, const ClassTable& table) : table_(table) {
        for (const Json& definition : listIn(memberIn(workflow, "definitions"), "subgraphs")) {
            const std::string id = textIn(definition, "id");
            const Definition entry{.graph = &definition, .weight = weightOf(definition)};
            if (!id.empty() && !definitions_.emplace(id, entry).second) {
                refuseWorkflow(message("two subgraphs have the id {}", quotedName(id)));
            }
        }
        root_.graph = &workflow;
        open(root_);
    }

    Prompt read() {
        addNodes(root_);
        addFrames();
        return std::move(prompt_);
    }

private:
    /// A small file can make much to look at: subgraphs in subgraphs, long lists on long ways.
    void look(size_t count) {
        looks_ += count;
        if (looks_ > kMostLooks) {
            refuseWorkflow(message("its wires run through too many nodes with too many inputs"));
        }
    }

    void addOpened(size_t weight) {
        opened_ += weight;
        if (opened_ > kMostOpened) {
            refuseWorkflow(
                message("its subgraphs are used so often that they have more than {} "
                        "bytes together",
                        kMostOpened));
        }
    }

    Json copied(const Json& value) {
        addOpened(weightOf(value));
        return value;
    }

    void open(Scope& scope) {
        for (const Json& node : listIn(*scope.graph, "nodes")) {
            const std::string id = idFrom(memberIn(node, "id"));
            if (id.empty() || textIn(node, "type").empty()) {
                refuseWorkflow(message("a node has no \"id\" or no \"type\""));
            }
            if (!scope.nodes.emplace(id, &node).second) {
                refuseWorkflow(message("two nodes have the id {}", quotedName(id)));
            }
            if (++count_ > kMostPromptNodes) {
                refuseWorkflow(message("it has more than {} nodes", kMostPromptNodes));
            }
            if (kindOf(node) == VirtualKind::Set) {
                scope.setters.emplace(settingNameOf(node), &node);  // the first one
            }
        }
        for (const Json& json : listIn(*scope.graph, "links")) {
            if (json.is_null()) {
                continue;
            }
            auto [id, link] = linkFrom(json);
            if (id.empty()) {
                refuseWorkflow(message("a link has no id"));
            }
            scope.links.insert_or_assign(std::move(id), std::move(link));
        }
        for (const auto& [id, node] : scope.nodes) {
            const auto definition = definitions_.find(textIn(*node, "type"));
            if (definition != definitions_.end() && !isLeftOut(*node)) {
                addOpened(definition->second.weight);
                openInner(scope, id, *node, *definition->second.graph);
            }
        }
    }

    [[nodiscard]] VirtualKind kindOf(const Json& node) const {
        const ClassRow* row = table_.find(textIn(node, "type"));
        return row == nullptr ? VirtualKind::None : row->virtualKind;
    }

    /// The node that has what a getter gets: in its own graph, or the nearest one around it.
    static std::optional<InputAt> setterOf(const Scope& scope, const Json& getter) {
        const std::string name = settingNameOf(getter);
        for (const Scope* at = &scope; at != nullptr && !name.empty(); at = at->parent) {
            const auto setter = at->setters.find(name);
            if (setter != at->setters.end()) {
                return InputAt{.scope = at, .node = setter->second, .slot = 0};
            }
        }
        return std::nullopt;
    }

    void openInner(Scope& scope, const std::string& id, const Json& node, const Json& definition) {
        if (scope.depth == kDeepestSubgraph) {
            refuseWorkflow(message("subgraphs lie in each other more than {} deep, or {} in itself",
                                   kDeepestSubgraph,
                                   quotedName(textIn(definition, "name"))));
        }
        auto inner = std::make_unique<Scope>();
        inner->graph = &definition;
        inner->parent = &scope;
        inner->instance = &node;
        inner->path = scope.path + id + ":";
        inner->depth = scope.depth + 1;
        moveTo(*inner, positionIn(scope, node));
        open(*inner);
        scope.inner.emplace(id, std::move(inner));
    }

    /// Where a node lies in the workflow. Null: the file does not state it.
    static Json positionIn(const Scope& scope, const Json& node) {
        const Json point = pointIn(memberIn(node, "pos"));
        const bool isMoved = scope.parent != nullptr && point.is_array();
        return isMoved
                   ? Json{point[0].get<double>() + scope.right, point[1].get<double>() + scope.down}
                   : point;
    }

    /// Moves a subgraph, which has a canvas of its own, so that it begins there.
    static void moveTo(Scope& scope, const Json& position) {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        double left = kFar, top = kFar;
        for (const Json& node : listIn(*scope.graph, "nodes")) {
            const Json point = pointIn(memberIn(node, "pos"));
            left = point.is_array() ? std::min(left, point[0].get<double>()) : left;
            top = point.is_array() ? std::min(top, point[1].get<double>()) : top;
        }
        if (position.is_array() && left < kFar && top < kFar) {
            scope.right = position[0].get<double>() - left;
            scope.down = position[1].get<double>() - top;
        }
    }

    static std::string groupOf(const Scope& scope) {
        return scope.path.empty() ? std::string() : scope.path.substr(0, scope.path.size() - 1);
    }

    void addNodes(const Scope& scope) {
        for (const auto& [id, node] : scope.nodes) {
            addModels(*node);
            const auto inner = scope.inner.find(id);
            if (inner != scope.inner.end()) {
                addGroup(*inner->second);
                addNodes(*inner->second);
            } else {
                addNode(scope, id, *node);
            }
        }
    }

    void addModels(const Json& node) {
        for (const Json& model : listIn(memberIn(node, "properties"), "models")) {
            const std::string name = textIn(model, "name");
            if (!name.empty()) {
                prompt_.models[name] = {.folder = textIn(model, "directory"),
                                        .url = textIn(model, "url")};
            }
        }
    }

    void addGroup(const Scope& scope) {
        const std::string title = textIn(*scope.instance, "title");
        prompt_.groups.push_back({.id = groupOf(scope),
                                  .title = title.empty() ? textIn(*scope.graph, "name") : title,
                                  .parent = groupOf(*scope.parent)});
    }

    void addNode(const Scope& scope, const std::string& id, const Json& json) {
        const std::string type = textIn(json, "type");
        const std::string path = scope.path + id;
        if (isLeftOut(json)) {
            prompt_.leftOut.push_back({.node = path,
                                       .type = type,
                                       .why = modeOf(json) == kMuted ? message("it is muted")
                                                                     : message("it is bypassed")});
            return;
        }
        const VirtualKind kind = kindOf(json);
        if (kind == VirtualKind::Note) {
            addNote(scope, json);
            return;
        }
        if (kind == VirtualKind::Editor) {
            prompt_.leftOut.push_back(
                {.node = path, .type = type, .why = message("it is of the editor alone")});
            return;
        }
        const bool isLostGetter = kind == VirtualKind::Get && !setterOf(scope, json);
        if (kind != VirtualKind::None && !isLostGetter) {
            return;
        }
        PromptNode node{.type = type,
                        .title = textIn(json, "title"),
                        .group = groupOf(scope),
                        .inputs = {},
                        .outputTypes = {},
                        .unnamed = Json::array(),
                        .position = positionIn(scope, json)};
        for (const Json& output : listIn(json, "outputs")) {
            node.outputTypes.push_back(textIn(output, "type"));
        }
        const Json& named = memberIn(json, "widgets_values_named");
        takeWidgets(table_.find(type),
                    widgetNamesOf(json),
                    named.is_object() ? named : memberIn(json, "widgets_values"),
                    node);
        takePromoted(scope, id, node);
        takeWires(scope, json, path, node);
        evaluateTexts(node);
        addPromoted(scope, json, path, node);
        if (!prompt_.nodes.emplace(path, std::move(node)).second) {
            refuseWorkflow(message("two nodes have the id {}", quotedName(path)));
        }
    }

    /// Makes of its prompts what the editor sends.
    void evaluateTexts(PromptNode& node) const {
        const ClassRow* row = table_.find(node.type);
        for (const std::string& name : row != nullptr ? row->drawn : std::vector<std::string>()) {
            const auto input = node.inputs.find(name);
            if (input != node.inputs.end() && input->second.value.is_string()) {
                input->second.value = textFromEditor(input->second.value.get<std::string>());
            }
        }
    }

    void addNote(const Scope& scope, const Json& json) {
        const Json& values = memberIn(json, "widgets_values");
        if (scope.parent == nullptr && values.is_array() && !values.empty() &&
            values[0].is_string()) {
            prompt_.notes.push_back({.text = values[0].get<std::string>(),
                                     .position = pointIn(memberIn(json, "pos")),
                                     .size = pointIn(memberIn(json, "size"))});
        }
    }

    /// Frames of the workflow itself: those in subgraphs have no canvas here.
    void addFrames() {
        for (const Json& frame : listIn(*root_.graph, "groups")) {
            const Json& bounds = memberIn(frame, "bounding");
            const bool isBox =
                bounds.is_array() && bounds.size() == 4 &&
                std::ranges::all_of(bounds, [](const Json& each) { return each.is_number(); });
            if (isBox) {
                prompt_.frames.push_back({.title = textIn(frame, "title"),
                                          .position = {bounds[0], bounds[1]},
                                          .size = {bounds[2], bounds[3]}});
            }
        }
    }

    static std::vector<std::string> widgetNamesOf(const Json& node) {
        std::vector<std::string> names;
        for (const Json& input : listIn(node, "inputs")) {
            if (memberIn(input, "widget").is_object()) {
                names.push_back(widgetNameOf(input));
            }
        }
        return names;
    }

    void takeWires(const Scope& scope,
                   const Json& json,
                   const std::string& path,
                   PromptNode& node) {
        const Json& inputs = listIn(json, "inputs");
        for (int slot = 0; slot < static_cast<int>(inputs.size()); ++slot) {
            const Json& input = inputs[static_cast<size_t>(slot)];
            const std::string name = textIn(input, "name");
            PromptInput given = sourceOf({&scope, &json, slot}, path);
            if (!name.empty() && (given.from || !given.value.is_null())) {
                node.inputs[name] = std::move(given);
            }
        }
    }

    /// Values of the node that the subgraph around it keeps.
    void takePromoted(const Scope& scope, const std::string& id, PromptNode& node) {
        for (const Proxy& proxy : proxiesOf(scope)) {
            if (proxy.node != id) {
                continue;
            }
            const auto input = node.inputs.find(proxy.widget);
            if (!proxy.value->is_null() && input != node.inputs.end()) {
                input->second = {.from = std::nullopt, .value = copied(*proxy.value)};
            }
        }
    }

    /// Notes which subgraphs around the node show its values.
    void addPromoted(const Scope& scope,
                     const Json& json,
                     const std::string& path,
                     const PromptNode& node) {
        for (const auto& [name, input] : node.inputs) {
            const Json* shown = &json;
            std::string inside = name;
            for (const Scope* at = &scope; !input.from && at->parent != nullptr; at = at->parent) {
                const std::optional<Outside> outside = outsideOf(*at, *shown, inside);
                if (!outside) {
                    break;
                }
                prompt_.promoted.push_back(
                    {.group = groupOf(*at), .node = path, .input = name, .label = outside->label});
                inside = outside->name;
                shown = at->instance;
            }
        }
    }

    /// How a subgraph calls a value of a node in it.
    struct Outside {
        std::string name;
        std::string label;
    };

    /// Nothing: it does not show it.
    std::optional<Outside> outsideOf(const Scope& scope,
                                     const Json& node,
                                     const std::string& name) {
        const std::string id = idFrom(memberIn(node, "id"));
        for (const Proxy& proxy : proxiesOf(scope)) {
            if (proxy.node == id && proxy.widget == name) {
                return Outside{.name = name, .label = name};
            }
        }
        look(listIn(node, "inputs").size());
        for (const Json& input : listIn(node, "inputs")) {
            const auto link = scope.links.find(idFrom(memberIn(input, "link")));
            const bool isIt = textIn(input, "name") == name || widgetNameOf(input) == name;
            if (!isIt || link == scope.links.end() || link->second.from != kSubgraphInput) {
                continue;
            }
            if (const Json* outer = entryAt(*scope.graph, "inputs", link->second.fromSlot)) {
                const std::string label = textIn(*outer, "label");
                const std::string own = textIn(*outer, "name");
                return Outside{.name = own, .label = label.empty() ? own : label};
            }
        }
        return std::nullopt;
    }

    /// The older form of promoted values: pairs of an inner node (-1: an input of the subgraph) and
    /// a widget, in the order of the values; null: the inner node has the value.
    std::vector<Proxy> proxiesOf(const Scope& scope) {
        static const Json kNoValue;
        std::vector<Proxy> proxies;
        if (scope.instance == nullptr) {
            return proxies;
        }
        const Json& values = memberIn(*scope.instance, "widgets_values");
        const Json& entries = listIn(memberIn(*scope.instance, "properties"), "proxyWidgets");
        look(entries.size());
        for (const Json& entry : entries) {
            if (!entry.is_array() || entry.size() < 2 || !entry[1].is_string()) {
                continue;
            }
            const size_t at = proxies.size();
            const bool hasValue = values.is_array() && at < values.size();
            proxies.push_back({.node = idFrom(entry[0]),
                               .widget = entry[1].get<std::string>(),
                               .value = hasValue ? &values[at] : &kNoValue});
        }
        return proxies;
    }

    /// What the subgraph itself gives to an inner input that its own input `name` leads to. Null:
    /// nothing.
    Json promotedValue(const InputAt& at, const std::string& name) {
        const std::vector<Proxy> proxies = proxiesOf(*at.scope);
        if (!proxies.empty()) {
            const std::string id = idFrom(memberIn(*at.node, "id"));
            const Json* input = entryAt(*at.node, "inputs", at.slot);
            const std::string widget = input != nullptr ? widgetNameOf(*input) : std::string();
            for (const Proxy& proxy : proxies) {
                if ((proxy.node == id && proxy.widget == widget) ||
                    (proxy.node == "-1" && proxy.widget == name)) {
                    return copied(*proxy.value);
                }
            }
            return {};
        }
        const Json& named = memberIn(*at.scope->instance, "widgets_values_named");
        if (const Json& value = memberIn(named, name.c_str()); !value.is_null()) {
            return copied(value);
        }
        const Json& values = memberIn(*at.scope->instance, "widgets_values");
        const std::vector<std::string> names = widgetInputsOf(*at.scope);
        const auto found = std::ranges::find(names, name);
        const auto index = static_cast<size_t>(found - names.begin());
        return found != names.end() && values.is_array() && index < values.size()
                   ? copied(values[index])
                   : Json();
    }

    /// The newer form: the inputs of the subgraph that lead to a widget, in their order.
    std::vector<std::string> widgetInputsOf(const Scope& scope) {
        look(scope.links.size());
        std::set<int> slots;
        for (const auto& [id, link] : scope.links) {
            const auto node = scope.nodes.find(link.to);
            const Json* input = link.from == kSubgraphInput && node != scope.nodes.end()
                                    ? entryAt(*node->second, "inputs", link.toSlot)
                                    : nullptr;
            if (input != nullptr && memberIn(*input, "widget").is_object()) {
                slots.insert(link.fromSlot);
            }
        }
        std::vector<std::string> names;
        for (const int slot : slots) {
            if (const Json* input = entryAt(*scope.graph, "inputs", slot)) {
                names.push_back(textIn(*input, "name"));
            }
        }
        return names;
    }

    /// Follows a wire back to the node or value that it comes from.
    PromptInput sourceOf(InputAt at, const std::string& path) {
        const std::string wanted = typeAt(*at.node, "inputs", at.slot);
        PromptInput promoted;  // by the outermost subgraph that has a value
        for (int hop = 0; hop < kLongestWire; ++hop) {
            look(1);
            const Json* input = entryAt(*at.node, "inputs", at.slot);
            const std::string link =
                input != nullptr ? idFrom(memberIn(*input, "link")) : std::string();
            const auto wire = at.scope->links.find(link);
            if (wire == at.scope->links.end()) {
                if (!link.empty()) {
                    noteLostWire(path, link);
                }
                return promoted;
            }
            if (wire->second.from == kSubgraphInput && at.scope->parent != nullptr) {
                const Json* outer = entryAt(*at.scope->graph, "inputs", wire->second.fromSlot);
                const std::string name = outer != nullptr ? textIn(*outer, "name") : std::string();
                if (Json value = promotedValue(at, name); !value.is_null()) {
                    promoted.value = std::move(value);
                }
                at = {at.scope->parent, at.scope->instance, outerSlot(*at.scope, name)};
                continue;
            }
            std::optional<PromptInput> end = fromOutput(at, wire->second, wanted, path);
            if (end) {
                return end->from || !end->value.is_null() ? *end : promoted;
            }
        }
        refuseWorkflow(
            message("the wire into node {} runs in a circle, or through more than {} nodes",
                    quotedName(path),
                    kLongestWire));
    }

    int outerSlot(const Scope& scope, const std::string& name) {
        const Json& inputs = listIn(*scope.instance, "inputs");
        look(inputs.size());
        for (int slot = 0; slot < static_cast<int>(inputs.size()); ++slot) {
            if (textIn(inputs[static_cast<size_t>(slot)], "name") == name) {
                return slot;
            }
        }
        return -1;
    }

    /// The end of a wire, where the output has one; else `at` is the input that goes through the
    /// node.
    std::optional<PromptInput> fromOutput(InputAt& at,
                                          const WorkflowLink& link,
                                          const std::string& wanted,
                                          const std::string& path) {
        const Scope* scope = at.scope;
        std::string id = link.from;
        int slot = link.fromSlot;
        for (int hop = 0; hop <= kDeepestSubgraph; ++hop) {
            const auto node = scope->nodes.find(id);
            if (node == scope->nodes.end()) {
                noteLostWire(path, scope->path + id);
                return PromptInput();
            }
            const Json& json = *node->second;
            const auto inner = scope->inner.find(id);
            if (inner == scope->inner.end()) {
                return fromNode(at, *scope, json, slot, wanted);
            }
            scope = inner->second.get();
            look(scope->links.size());
            const WorkflowLink* leaving = nullptr;
            for (const auto& [key, each] : scope->links) {
                leaving = each.to == kSubgraphOutput && each.toSlot == slot ? &each : leaving;
            }
            if (leaving == nullptr) {
                return PromptInput();
            }
            if (leaving->from == kSubgraphInput) {  // an input that goes straight through
                const Json* outer = entryAt(*scope->graph, "inputs", leaving->fromSlot);
                at = {scope->parent,
                      scope->instance,
                      outerSlot(*scope, outer != nullptr ? textIn(*outer, "name") : "")};
                return std::nullopt;
            }
            id = leaving->from;
            slot = leaving->fromSlot;
        }
        return PromptInput();
    }

    std::optional<PromptInput> fromNode(
        InputAt& at, const Scope& scope, const Json& json, int slot, const std::string& wanted) {
        const VirtualKind kind = kindOf(json);
        const bool isThrough = kind == VirtualKind::Reroute || kind == VirtualKind::Set;
        if (modeOf(json) == kMuted || kind == VirtualKind::Note || kind == VirtualKind::Editor) {
            return PromptInput();
        }
        if (modeOf(json) == kBypassed || isThrough) {
            look(listIn(json, "inputs").size());
            const int through = isThrough ? 0 : bypassedSlot(json, slot, wanted);
            if (through < 0) {
                return PromptInput();
            }
            at = {&scope, &json, through};
            return std::nullopt;
        }
        const std::optional<InputAt> setter =
            kind == VirtualKind::Get ? setterOf(scope, json) : std::nullopt;
        if (setter) {
            at = *setter;
            return std::nullopt;
        }
        if (kind == VirtualKind::Value) {
            const Json& values = memberIn(json, "widgets_values");
            const bool hasOne = values.is_array() && !values.empty();
            return PromptInput{.from = std::nullopt, .value = hasOne ? copied(values[0]) : Json()};
        }
        return PromptInput{.from = Socket{scope.path + idFrom(memberIn(json, "id")), slot},
                           .value = {}};
    }

    void noteLostWire(const std::string& path, const std::string& link) {
        prompt_.leftOut.push_back(
            {.node = path,
             .type = {},
             .why = message("a wire into it comes from {}, which is not there", quotedName(link))});
    }

    const ClassTable& table_;
    std::map<std::string, Definition> definitions_;
    Scope root_;
    Prompt prompt_;
    size_t count_ = 0;
    size_t looks_ = 0;
    size_t opened_ = 0;
};

}  // namespace

Prompt promptOfWorkflow(const Json& workflow, const ClassTable& table) {
    return WorkflowReader(workflow, table).read();
}

}  // namespace lowtide::interop
