#include "plugin/interop/prompt.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/interop/json_members.hpp"
#include "plugin/interop/workflow.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace lowtide::interop {

namespace {

constexpr const char* kClassType = "class_type";

bool isApiNode(const Json& json) {
    return json.is_object() && json.contains(kClassType) && json[kClassType].is_string();
}

/// As ComfyUI's server tells links from values: two, a text and a number, which may be a real or a
/// truth value. Nothing: it is a value. A number that counts no output leads to none (-1).
std::optional<Socket> apiSocket(const Json& value) {
    const bool isLink = value.is_array() && value.size() == 2 && value[0].is_string() &&
                        (value[1].is_number() || value[1].is_boolean());
    if (!isLink) {
        return std::nullopt;
    }
    constexpr double kMostSlots = 1000;
    const double slot =
        value[1].is_boolean() ? (value[1].get<bool>() ? 1 : 0) : value[1].get<double>();
    const bool isSlot = slot >= 0 && slot < kMostSlots && slot == std::floor(slot);
    return Socket{value[0].get<std::string>(), isSlot ? static_cast<int>(slot) : -1};
}

/// A list that is a value is wrapped, so that it is no link.
const Json& unwrapped(const Json& value) {
    return value.is_object() && value.contains(kWrappedValue) ? value[kWrappedValue] : value;
}

void giveValue(PromptNode& node, const std::string& name, Json value) {
    node.inputs[name] = {.from = std::nullopt, .value = std::move(value)};
}

/// What the class takes where the file has no value.
void takeDefault(const Widget& widget, PromptNode& node) {
    if (widget.defaultValue) {
        giveValue(node, widget.name, *widget.defaultValue);
    } else if (!widget.name.starts_with('~')) {
        node.lacking.push_back(widget.name);
    }
}

void takeDefaults(const ClassRow* row, PromptNode& node) {
    for (size_t i = 0; row != nullptr && i < row->widgets.size(); ++i) {
        if (!node.inputs.contains(row->widgets[i].name)) {
            takeDefault(row->widgets[i], node);
        }
    }
}

/// "lora_12" as 12; nothing: another name.
std::optional<int> numberBehind(const std::string& name, const std::string& prefix) {
    int number = 0;
    const char* const end = name.data() + name.size();
    const char* const begin = name.data() + std::min(prefix.size(), name.size());
    const auto [next, error] = std::from_chars(begin, end, number);
    return name.starts_with(prefix) && error == std::errc() && next == end ? std::optional(number)
                                                                           : std::nullopt;
}

/// Values that are objects become inputs, numbered as they come, one for each member. Those that
/// are switched off are left out first where the class has too few.
void takeObjects(const ClassRow& row, std::vector<Json> values, PromptNode& node) {
    const WidgetObjects& objects = *row.objects;
    std::erase_if(values, [&](const Json& each) { return !each.contains(objects.needed); });
    const auto inputOf = [&](size_t index, const std::string& member) {
        return objects.prefix + std::to_string(index + 1) + "." + member;
    };
    if (row.widget(inputOf(std::max<size_t>(values.size(), 1) - 1, objects.needed)) == nullptr) {
        std::erase_if(values, [](const Json& each) { return memberIn(each, "on") == false; });
    }
    for (size_t i = 0; i < values.size(); ++i) {
        if (row.widget(inputOf(i, objects.needed)) == nullptr) {
            node.unnamed.push_back(values[i]);
            continue;
        }
        for (const auto& [member, value] : values[i].items()) {
            if (!value.is_null()) {
                giveValue(node, inputOf(i, member), value);
            }
        }
    }
    takeDefaults(&row, node);
}

/// Those of an API prompt, in the order of their numbers.
std::vector<Json> objectsIn(const Json& inputs, const std::string& prefix) {
    std::map<int, Json> values;
    for (const auto& [name, value] : inputs.items()) {
        const std::optional<int> number = numberBehind(name, prefix);
        if (number && value.is_object()) {
            values[*number] = value;
        }
    }
    std::vector<Json> sorted;
    for (auto& [number, value] : values) {
        sorted.push_back(std::move(value));
    }
    return sorted;
}

PromptNode apiNode(const std::string& id, const Json& json, const ClassTable& table) {
    PromptNode node;
    node.type = textIn(json, kClassType);
    node.title = textIn(memberIn(json, "_meta"), "title");
    const Json& inputs = memberIn(json, "inputs");
    if (!inputs.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("node {} of the workflow has no \"inputs\"", quotedName(id)));
    }
    const ClassRow* row = table.find(node.type);
    const bool hasObjects = row != nullptr && row->objects;
    for (const auto& [name, value] : inputs.items()) {
        const bool isOfObject = hasObjects && numberBehind(name, row->objects->prefix);
        if (std::optional<Socket> socket = apiSocket(value)) {
            node.inputs[name] = {.from = std::move(socket), .value = {}};
        } else if (!isOfObject && !(row != nullptr && row->isListedAlone(name))) {
            giveValue(node, name, unwrapped(value));
        }
    }
    if (hasObjects) {
        takeObjects(*row, objectsIn(inputs, row->objects->prefix), node);
    }
    takeDefaults(row, node);
    return node;
}

/// A graph's ids stand complete in messages and files.
void checkNodes(const Prompt& prompt) {
    constexpr size_t kLongestId = 190;
    constexpr size_t kMostInputs = 200'000;
    size_t inputs = 0;
    for (const auto& [id, node] : prompt.nodes) {
        inputs += node.inputs.size();
        if (inputs > kMostInputs) {
            throw Error(ErrorKind::Corrupt,
                        message("the nodes of the workflow have more than {} inputs", kMostInputs));
        }
        if (id.empty() || id.size() > kLongestId) {
            throw Error(ErrorKind::Corrupt,
                        message("the workflow has the node {}; an id has 1 to {} bytes",
                                quotedName(id),
                                kLongestId));
        }
    }
}

Prompt promptOfApi(const Json& json, const ClassTable& table) {
    Prompt prompt;
    for (const auto& [id, node] : json.items()) {
        if (isApiNode(node)) {
            prompt.nodes.emplace(id, apiNode(id, node, table));
        } else {
            prompt.leftOut.push_back(
                {.node = id, .type = {}, .why = message("it has no {}", quotedName(kClassType))});
        }
    }
    if (prompt.nodes.size() > kMostPromptNodes) {
        throw Error(ErrorKind::Corrupt,
                    message("the workflow has {} nodes, at most {} are read",
                            prompt.nodes.size(),
                            kMostPromptNodes));
    }
    return prompt;
}

/// What the editor puts behind a seed.
bool isSeedControl(const Json& value) {
    static const std::set<std::string> kWords = {
        "fixed", "increment", "decrement", "randomize", "increment-wrap"};
    return value.is_boolean() ||
           (value.is_string() && kWords.contains(value.get_ref<const std::string&>()));
}

/// By name, as newer files have them, too, and those of some nodes alone.
void takeNamedWidgets(const ClassRow* row, const Json& values, PromptNode& node) {
    for (const auto& [name, value] : values.items()) {
        const bool isNoInput = name.starts_with("control_after_generate") || name == "upload" ||
                               (row != nullptr && row->isListedAlone(name));
        if (!isNoInput) {
            giveValue(node, name, value);
        }
    }
    takeDefaults(row, node);
}

void takeKnownWidgets(const ClassRow& row, const Json& values, PromptNode& node) {
    size_t next = 0;
    for (const Widget& widget : row.widgets) {
        if (widget.name == "~control") {
            next += next < values.size() && isSeedControl(values[next]) ? 1 : 0;
        } else if (widget.name.starts_with('~')) {
            ++next;
        } else if (next < values.size()) {
            giveValue(node, widget.name, values[next++]);
        } else {
            takeDefault(widget, node);
        }
    }
    for (; next < values.size(); ++next) {
        node.unnamed.push_back(values[next]);
    }
}

void takeListedWidgets(const std::vector<std::string>& names,
                       const Json& values,
                       PromptNode& node) {
    size_t next = 0;
    for (size_t i = 0; i < names.size() && next < values.size(); ++i) {
        giveValue(node, names[i], values[next++]);
        const bool isSeed = names[i] == "seed" || names[i] == "noise_seed";
        if (isSeed && next < values.size() && isSeedControl(values[next])) {
            ++next;
        }
    }
    for (; next < values.size(); ++next) {
        node.unnamed.push_back(values[next]);
    }
}

}  // namespace

bool isWorkflow(const Json& json) {
    return json.is_object() && json.contains("nodes") && json["nodes"].is_array() &&
           json.contains("links") && json["links"].is_array();
}

bool isApiPrompt(const Json& json) {
    return json.is_object() && !json.empty() && std::any_of(json.begin(), json.end(), isApiNode) &&
           !json.contains("nodes");
}

Prompt readPrompt(const Json& json, const ClassTable& table) {
    if (isWorkflow(json) || isApiPrompt(json)) {
        Prompt prompt = isWorkflow(json) ? promptOfWorkflow(json, table) : promptOfApi(json, table);
        checkNodes(prompt);
        return prompt;
    }
    for (const char* key : {"workflow", "prompt"}) {
        if (json.is_object() && json.contains(key) &&
            (isWorkflow(json[key]) || isApiPrompt(json[key]))) {
            return readPrompt(json[key], table);
        }
    }
    throw Error(ErrorKind::InvalidInput,
                message("this is no workflow of ComfyUI: it has neither nodes and links nor nodes "
                        "with a class_type"),
                message("save it in ComfyUI with Save or Export (API)"));
}

std::string typeOfSocket(const Prompt& prompt, const ClassTable& table, const Socket& socket) {
    const auto node = prompt.nodes.find(socket.node);
    if (node == prompt.nodes.end() || socket.slot < 0) {
        return {};
    }
    const auto slot = static_cast<size_t>(socket.slot);
    if (slot < node->second.outputTypes.size()) {
        return node->second.outputTypes[slot];
    }
    const ClassRow* row = table.find(node->second.type);
    return row != nullptr && slot < row->outputTypes.size() ? row->outputTypes[slot]
                                                            : std::string();
}

void takeWidgets(const ClassRow* row,
                 const std::vector<std::string>& names,
                 const Json& values,
                 PromptNode& node) {
    if (row != nullptr && row->objects) {
        takeObjects(*row,
                    values.is_array() ? values.get<std::vector<Json>>()
                                      : objectsIn(values, row->objects->prefix),
                    node);
    } else if (values.is_object()) {
        takeNamedWidgets(row, values, node);
    } else if (row != nullptr) {
        takeKnownWidgets(*row, values.is_array() ? values : Json::array(), node);
    } else if (values.is_array()) {
        takeListedWidgets(names, values, node);
    }
}

}  // namespace lowtide::interop
