#include "plugin/interop/editor_text.hpp"
#include "plugin/interop/export.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace lowtide::interop {

namespace {

constexpr double kNodeWidth = 315;
constexpr double kTitleHeight = 46;
constexpr double kLineHeight = 24;
/// Nodes of ComfyUI's editor are wider than ours.
constexpr double kSpread = 1.5;
constexpr int kNodesPerLine = 6;
constexpr double kColumnWidth = 360;
constexpr double kLineOfNodes = 420;

std::string titleOf(const PromptNode& node) {
    return node.title.empty() ? node.type : node.title;
}

/// Where the node stands in ComfyUI's editor; `index` of those without a position.
Json spreadPosition(const PromptNode& node, int index) {
    const Json& position = node.position;
    if (position.is_array() && position.size() == 2 && position[0].is_number() &&
        position[1].is_number()) {
        return {position[0].get<double>() * kSpread, position[1].get<double>() * kSpread};
    }
    return {index % kNodesPerLine * kColumnWidth, index / kNodesPerLine * kLineOfNodes};
}

Json widgetValues(const PromptNode& node, const ClassRow& row) {
    Json values = Json::array();
    for (const Widget& widget : row.widgets) {
        const auto given = node.inputs.find(widget.name);
        if (widget.name.starts_with('~')) {
            values.push_back(widget.name == "~control" ? "fixed" : "image");
        } else if (given != node.inputs.end() && !given->second.from) {
            const Json& value = given->second.value;
            const bool isDrawn =
                value.is_string() && std::ranges::count(row.drawn, widget.name) > 0;
            values.push_back(isDrawn ? Json(textForEditor(value.get<std::string>())) : value);
        } else {
            values.push_back(widget.defaultValue.value_or(Json()));
        }
    }
    return values;
}

/// Writes a prompt as the editor saves it. Ids of its nodes are numbers.
class WorkflowWriter {
public:
    WorkflowWriter(const Prompt& prompt, const ClassTable& table)
        : prompt_(prompt), table_(table) {}

    Json write() {
        for (const auto& [id, node] : prompt_.nodes) {
            nodes_[std::stoi(id)] = &node;
        }
        for (const auto& [id, node] : nodes_) {
            addNode(id, *node);
        }
        for (auto& [id, json] : written_) {
            addInputs(id, *nodes_.at(id), json);
        }
        Json nodes = Json::array();
        for (auto& [id, json] : written_) {
            nodes.push_back(std::move(json));
        }
        return {{"last_node_id", nodes_.empty() ? 0 : nodes_.rbegin()->first},
                {"last_link_id", links_.size()},
                {"nodes", std::move(nodes)},
                {"links", links_},
                {"groups", Json::array()},
                {"config", Json::object()},
                {"extra", Json::object()},
                {"version", 0.4}};
    }

private:
    void addNode(int id, const PromptNode& node) {
        const ClassRow& row = *table_.find(node.type);
        Json outputs = Json::array();
        for (const std::string& type : row.outputTypes) {
            outputs.push_back({{"name", type}, {"type", type}, {"links", Json::array()}});
        }
        const auto order = static_cast<int>(written_.size());
        const auto lines = static_cast<double>(row.widgets.size() + node.inputs.size());
        Json json = {{"id", id},
                     {"type", node.type},
                     {"pos", spreadPosition(node, order)},
                     {"size", {kNodeWidth, kTitleHeight + kLineHeight * lines}},
                     {"flags", Json::object()},
                     {"order", order},
                     {"mode", 0},
                     {"inputs", Json::array()},
                     {"outputs", std::move(outputs)},
                     {"properties", {{"Node name for S&R", node.type}}},
                     {"widgets_values", widgetValues(node, row)}};
        if (!node.title.empty()) {
            json["title"] = node.title;
        }
        written_[id] = std::move(json);
    }

    void addInputs(int id, const PromptNode& node, Json& json) {
        for (const auto& [name, input] : node.inputs) {
            if (!input.from) {
                continue;
            }
            const int source = std::stoi(input.from->node);
            Json& output = written_.at(source).at("outputs").at(input.from->slot);
            const auto link = static_cast<int>(links_.size()) + 1;
            links_.push_back(
                {link, source, input.from->slot, id, json["inputs"].size(), output.at("type")});
            output["links"].push_back(link);
            json["inputs"].push_back({{"name", name}, {"type", output.at("type")}, {"link", link}});
        }
    }

    const Prompt& prompt_;
    const ClassTable& table_;
    std::map<int, const PromptNode*> nodes_;
    std::map<int, Json> written_;
    Json links_ = Json::array();
};

}  // namespace

Json apiPrompt(const Prompt& prompt) {
    Json api = Json::object();
    for (const auto& [id, node] : prompt.nodes) {
        Json inputs = Json::object();
        for (const auto& [name, input] : node.inputs) {
            inputs[name] = input.from ? Json::array({input.from->node, input.from->slot})
                           : input.value.is_array() ? Json{{kWrappedValue, input.value}}
                                                    : input.value;
        }
        api[id] = {{"class_type", node.type},
                   {"inputs", std::move(inputs)},
                   {"_meta", {{"title", titleOf(node)}}}};
    }
    return api;
}

Json editorWorkflow(const Prompt& prompt, const ClassTable& table) {
    return WorkflowWriter(prompt, table).write();
}

namespace {

/// JSON in ASCII without braces in its strings: ComfyUI's reader of WebM counts braces to find the
/// end of a text, those of strings too.
std::string textInFile(const Json& json) {
    std::string text;
    bool isInString = false;
    bool isEscaped = false;
    for (const char character : json.dump(-1, ' ', true)) {
        if (isInString && character == '{') {
            text += "\\u007b";
        } else if (isInString && character == '}') {
            text += "\\u007d";
        } else {
            text += character;
        }
        if (character == '"' && !isEscaped) {
            isInString = !isInString;
        }
        isEscaped = character == '\\' && !isEscaped;
    }
    return text;
}

}  // namespace

std::vector<image::ImageText> textsForComfyUi(const Exported& exported, const ClassTable& table) {
    if (!exported.report.missing.empty()) {
        return {};
    }
    return {{.key = "prompt", .text = textInFile(apiPrompt(exported.prompt))},
            {.key = "workflow", .text = textInFile(editorWorkflow(exported.prompt, table))}};
}

}  // namespace lowtide::interop
