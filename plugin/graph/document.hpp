#pragma once
// A graph as a user saves it: its form, the steps from older formats, and its text from a graph
// file or an image that carries it.

#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::files {
class InputFile;
}

namespace lowtide::image {
struct ImageText;
}

namespace lowtide::graph {

/// Rewrites a document of one format as the next one. Pure; sees a JSON object.
using Migration = std::function<void(Json&)>;

/// The linear list: entry i converts format i + 1 into format i + 2. A default that changed is
/// stated where it was left out, so that an old graph makes its old image.
[[nodiscard]] std::span<const Migration> migrations();

/// Brings `document` to format `newest` by the entries that are missing, and sets its `format`.
/// Errors: Error{Corrupt} when it is no object, has no whole `format` or one below 1;
/// Error{Unsupported} names both numbers when it is newer than `newest`.
void migrate(Json& document, std::span<const Migration> list, int64_t newest);

/// The `format` that is written.
inline constexpr int64_t kDocumentFormat = 2;

enum class NodeMode : uint8_t { Active, Muted, Bypassed };

/// A node as it was saved. Values stand as they came, known or not; `extra` holds keys that this
/// version does not know.
struct DocumentNode {
    std::string type;
    uint32_t version = 1;  ///< of the node type when it was saved ("v")
    Json params = Json::object();
    Json memory;     ///< null: not stated; a text or an object (memory::policyFromJson)
    Json precision;  ///< null: not stated; a text or an object (memory::precisionFromJson)
    Json position;   ///< null: not stated; [x, y] in canvas units
    std::optional<std::string> title;
    NodeMode mode = NodeMode::Active;
    Json extra = Json::object();
};

/// One port of one node.
struct PortRef {
    std::string node;
    std::string port;

    auto operator<=>(const PortRef&) const = default;
};

struct Link {
    PortRef from;
    PortRef to;
    Json extra = Json::object();
};

/// What a form shows of a node besides its parameters: DocumentNode::precision.
inline constexpr const char* kExposedPrecision = "precision";

/// A parameter that the graph's form shows, or kExposedPrecision of a node that has components.
struct ExposedParam {
    std::string node;
    std::string param;
    std::string label;
    Json extra = Json::object();
};

/// A graph as it is saved: nodes by id, links, and what the canvas needs. Loading never rewrites a
/// value (migrations of older formats may add one); unknown keys, node types and parameters come
/// back as they were.
struct Document {
    std::map<std::string, DocumentNode> nodes;
    std::vector<Link> links;  ///< sorted by target, then by source
    std::vector<ExposedParam> exposed;
    Json frames;  ///< null: none
    Json notes;   ///< null: none
    Json groups;  ///< null: none; nodes that a canvas shows as one
    std::optional<std::string> memoryBudget;
    std::optional<std::string> device;
    std::optional<int64_t> collectionThreshold;  ///< "gc_threshold", percent
    std::optional<std::string> lowMemory;        ///< "low_memory": auto, on, off
    std::optional<bool> isExact;                 ///< "exact": lossy choices are refused
    /// Nodes with which one run ends, instead of the output nodes; never saved. Empty: all outputs.
    std::set<std::string> until;
    Json extra = Json::object();
};

/// Errors: Error{Corrupt} names the node and key of a wrong shape; Error{Unsupported} names both
/// numbers when the format is newer than kDocumentFormat.
[[nodiscard]] Document documentFromJson(Json json);
/// As documentFromJson of parseJson.
[[nodiscard]] Document parseDocument(std::string_view text);

[[nodiscard]] Json toJson(const Document& document);
/// The one text of a document: keys sorted, two spaces of indent, a newline at the end.
/// Error{InvalidInput} when a text in it is not UTF-8.
[[nodiscard]] std::string toText(const Document& document);

/// The text of a graph file, or the graph that an image or a video of this program carries; what
/// the file holds decides. Errors: those of InputFile, of which at most 32 MiB are read, of
/// image::readImageTexts and video::readVideoHeader; Error{NotFound}: an image without a graph;
/// Error{Corrupt}: a file with the name of an image or a video that holds neither one nor JSON.
[[nodiscard]] std::string readGraphText(const files::InputFile& file);
/// The texts that an image or a video carries; other files carry none. Errors as above, but for a
/// missing graph.
[[nodiscard]] std::vector<image::ImageText> readCarriedTexts(const files::InputFile& file);

}  // namespace lowtide::graph
