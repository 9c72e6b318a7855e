#pragma once
// A workflow of ComfyUI as one plain value, whichever form it was saved in.

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/interop/class_table.hpp"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::interop {

/// An output of a node.
struct Socket {
    std::string node;
    int slot = 0;

    auto operator<=>(const Socket&) const = default;
};

/// What an input is given: an output of another node, or a value.
struct PromptInput {
    std::optional<Socket> from;
    Json value;
};

/// A node that is run, outside of all subgraphs.
struct PromptNode {
    std::string type;   ///< its class
    std::string title;  ///< empty: none was given
    std::string group;  ///< the subgraph that it was in; empty: none
    std::map<std::string, PromptInput> inputs;
    std::vector<std::string> outputTypes;  ///< empty: the file does not state them
    Json unnamed = Json::array();          ///< values of widgets whose names are not known
    std::vector<std::string> lacking{};    ///< widgets that the file gives no value
    Json position;                         ///< [x, y]; null: not stated
};

/// A subgraph, by the id of the node that stood for it.
struct PromptGroup {
    std::string id;
    std::string title;
    std::string parent;  ///< the group around it; empty: none
};

/// A value that a subgraph shows on its outside.
struct PromotedValue {
    std::string group;
    std::string node;
    std::string input;
    std::string label;
};

/// A note on the canvas.
struct PromptNote {
    std::string text;
    Json position;  ///< [x, y]; null: not stated
    Json size;
};

/// A frame around nodes ("group" there, in which nodes only lie).
struct PromptFrame {
    std::string title;
    Json position;  ///< [x, y]
    Json size;
};

/// Something of the file that is not in the graph, and why.
struct LeftOut {
    std::string node;  ///< its id; empty: it is about the file
    std::string type;
    Message why;
};

/// Where a file states that a model comes from.
struct ModelSource {
    std::string folder;  ///< "checkpoints", "loras"
    std::string url;
};

/// The nodes that are run, by id; those of a subgraph as "57:30", as ComfyUI's server names them.
/// What is muted, bypassed or virtual is gone. Links may still lead to nodes that are not there.
struct Prompt {
    std::map<std::string, PromptNode> nodes;
    std::vector<PromptGroup> groups;
    std::vector<PromotedValue> promoted;
    std::vector<PromptNote> notes;
    std::vector<PromptFrame> frames;
    std::vector<LeftOut> leftOut;
    std::map<std::string, ModelSource> models;  ///< by file name
};

/// Most nodes of a workflow, those in subgraphs counted each time that one is used.
inline constexpr size_t kMostPromptNodes = 10000;

/// What ComfyUI is sent in place of a list that is a value: {"__value__": [...]}.
inline constexpr const char* kWrappedValue = "__value__";

/// Whether it has the shape of a workflow of the editor: lists of nodes and links.
[[nodiscard]] bool isWorkflow(const Json& json);
/// Whether it has the shape of what the server is sent: nodes by id, each with its class.
[[nodiscard]] bool isApiPrompt(const Json& json);

/// Of either form, or of what wraps them ("prompt", "workflow"). Error{InvalidInput}: it is
/// neither. Error{Corrupt}: two nodes have one id, a link or node has another shape, subgraphs lie
/// in themselves, links run in a circle, there are too many nodes.
[[nodiscard]] Prompt readPrompt(const Json& json, const ClassTable& table);

/// The wire type of an output, as the file or the table states it; empty: neither does.
[[nodiscard]] std::string typeOfSocket(const Prompt& prompt,
                                       const ClassTable& table,
                                       const Socket& socket);

/// The values of a node's widgets by name. What lacks gets its default; what cannot be named goes
/// to `node.unnamed`. `names`: of the widgets as the node itself lists them, for classes without a
/// row.
void takeWidgets(const ClassRow* row,
                 const std::vector<std::string>& names,
                 const Json& values,
                 PromptNode& node);

}  // namespace lowtide::interop
