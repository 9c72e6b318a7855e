#include "plugin/graph/document.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/video/video_file.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace lowtide::graph {

namespace {

/// Format 2: a prompt.encode that does not state its weights reads A1111's; before it read none.
void stateNoWeights(Json& document) {
    const auto nodes = document.find("nodes");
    if (nodes == document.end() || !nodes->is_object()) {
        return;
    }
    for (Json& node : *nodes) {
        if (!node.is_object() || !node.contains("type") || node["type"] != "prompt.encode") {
            continue;
        }
        const auto params = node.emplace("params", Json::object()).first;
        if (params->is_object()) {
            params->emplace("weights", "none");
        }
    }
}

}  // namespace

std::span<const Migration> migrations() {
    static const std::array<Migration, 1> kMigrations{stateNoWeights};
    return kMigrations;
}

void migrate(Json& document, std::span<const Migration> list, int64_t newest) {
    LOWTIDE_ASSERT(static_cast<int64_t>(list.size()) == newest - 1);
    const std::optional<int64_t> format = JsonReader(document, "graph").integer("format");
    if (!format || *format < 1) {
        throw Error(ErrorKind::Corrupt,
                    format ? message("graph has the format {}, which never existed", *format)
                           : message("graph has no \"format\""),
                    message("a graph of this program starts with \"format\": {}", newest),
                    "format");
    }
    if (*format > newest) {
        throw Error(
            ErrorKind::Unsupported,
            message("graph has the format {}, this version reads up to format {}", *format, newest),
            message("open it with a newer version"),
            "format");
    }
    for (int64_t step = *format; step < newest; ++step) {
        list[static_cast<size_t>(step - 1)](document);
    }
    document["format"] = newest;
}

namespace {

constexpr size_t kLongestId = 200;
constexpr Phrase kGraph = phrase("graph");

[[noreturn]] void refuseDocument(const Message& where, const Message& problem) {
    throw Error(ErrorKind::Corrupt, message("{} {}", where, problem));
}

/// Ids stand whole in messages.
void checkId(const std::string& id, const Message& where) {
    if (id.size() > kLongestId) {
        refuseDocument(
            where,
            message("has the node {}, an id has at most {} bytes", quotedName(id), kLongestId));
    }
}

/// The members of `json` that are not in `known`, and those that are null: kept as they are.
Json unknownKeys(const Json& json, std::initializer_list<std::string_view> known) {
    Json extra = Json::object();
    for (const auto& [key, value] : json.items()) {
        if (value.is_null() || std::find(known.begin(), known.end(), key) == known.end()) {
            extra[key] = value;
        }
    }
    return extra;
}

Json memberOr(const Json& json, const char* key, Json otherwise) {
    const auto found = json.find(key);
    return found == json.end() ? std::move(otherwise) : *found;
}

NodeMode modeFrom(const std::string& text, const Message& where) {
    if (text == "active") {
        return NodeMode::Active;
    }
    if (text == "muted") {
        return NodeMode::Muted;
    }
    if (text == "bypassed") {
        return NodeMode::Bypassed;
    }
    refuseDocument(where,
                   message("has the mode {}; it is active, muted or bypassed", quotedName(text)));
}

std::string_view modeName(NodeMode mode) {
    return mode == NodeMode::Active ? "active" : mode == NodeMode::Muted ? "muted" : "bypassed";
}

DocumentNode documentNodeFromJson(const Json& json, const Message& where) {
    const JsonReader reader(json, where.str());
    DocumentNode node;
    const std::optional<std::string> type = reader.text("type");
    if (!type || type->empty()) {
        refuseDocument(where, message("has no \"type\""));
    }
    node.type = *type;
    const int64_t version = reader.integer("v").value_or(1);
    if (version < 0 || version > std::numeric_limits<uint32_t>::max()) {
        refuseDocument(where, message("has the version {}", version));
    }
    node.version = static_cast<uint32_t>(version);
    node.params = memberOr(json, "params", Json::object());
    if (!node.params.is_object()) {
        refuseDocument(where, message("has \"params\" that are no object of values by id"));
    }
    node.memory = memberOr(json, "memory", nullptr);
    node.precision = memberOr(json, "precision", nullptr);
    node.position = memberOr(json, "position", nullptr);
    node.title = reader.text("title");
    node.mode = modeFrom(reader.text("mode").value_or("active"), where);
    node.extra = unknownKeys(
        json, {"type", "v", "params", "memory", "precision", "position", "title", "mode"});
    return node;
}

PortRef portFromJson(const Json& link, const char* key, const Message& where) {
    const Json end = memberOr(link, key, nullptr);
    if (!end.is_array() || end.size() != 2 || !end[0].is_string() || !end[1].is_string()) {
        refuseDocument(where, message("needs \"{}\": [\"node\", \"port\"]", key));
    }
    checkId(end[0].get_ref<const std::string&>(), where);
    return {end[0].get<std::string>(), end[1].get<std::string>()};
}

/// An optional array member; absent counts as empty.
Json listMember(const Json& json, const char* key) {
    Json list = memberOr(json, key, Json::array());
    if (!list.is_array()) {
        refuseDocument(kGraph, message("has \"{}\" that are no list", key));
    }
    return list;
}

std::vector<Link> linksFromJson(const Json& json) {
    std::vector<Link> links;
    for (const Json& entry : listMember(json, "links")) {
        const Message where = message("link {} of the graph", links.size());
        if (!entry.is_object()) {
            refuseDocument(
                where,
                message(
                    "must be {{\"from\": [\"node\", \"port\"], \"to\": [\"node\", \"port\"]}}"));
        }
        links.push_back({portFromJson(entry, "from", where),
                         portFromJson(entry, "to", where),
                         unknownKeys(entry, {"from", "to"})});
    }
    std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
        return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    });
    return links;
}

std::vector<ExposedParam> exposedFromJson(const Json& json) {
    std::vector<ExposedParam> exposed;
    for (const Json& entry : listMember(json, "exposed")) {
        const Message where = message("exposed parameter {}", exposed.size());
        const JsonReader reader(entry, where.str());
        const std::optional<std::string> node = reader.text("node");
        const std::optional<std::string> param = reader.text("param");
        if (!node || !param) {
            refuseDocument(where, message("needs \"node\" and \"param\""));
        }
        checkId(*node, where);
        exposed.push_back({*node,
                           *param,
                           reader.text("label").value_or(""),
                           unknownKeys(entry, {"node", "param", "label"})});
    }
    return exposed;
}

void putUnlessNull(Json& json, const char* key, const Json& value) {
    if (!value.is_null()) {
        json[key] = value;
    }
}

Json nodeJson(const DocumentNode& node) {
    Json json = node.extra;
    json["type"] = node.type;
    json["v"] = node.version;
    json["params"] = node.params;
    putUnlessNull(json, "memory", node.memory);
    putUnlessNull(json, "precision", node.precision);
    putUnlessNull(json, "position", node.position);
    if (node.title) {
        json["title"] = *node.title;
    }
    if (node.mode != NodeMode::Active) {
        json["mode"] = modeName(node.mode);
    }
    return json;
}

Json linkJson(const Link& link) {
    Json json = link.extra;
    json["from"] = {link.from.node, link.from.port};
    json["to"] = {link.to.node, link.to.port};
    return json;
}

Json exposedJson(const ExposedParam& exposed) {
    Json json = exposed.extra;
    json["node"] = exposed.node;
    json["param"] = exposed.param;
    if (!exposed.label.empty()) {
        json["label"] = exposed.label;
    }
    return json;
}

}  // namespace

Document documentFromJson(Json json) {
    migrate(json, migrations(), kDocumentFormat);
    const JsonReader reader(json, "graph");
    Document document;
    const Json nodes = memberOr(json, "nodes", Json::object());
    if (!nodes.is_object()) {
        refuseDocument(kGraph, message("has \"nodes\" that are no object of nodes by id"));
    }
    for (const auto& [id, node] : nodes.items()) {
        if (id.empty()) {
            refuseDocument(kGraph, message("has a node without an id"));
        }
        checkId(id, kGraph);
        document.nodes.emplace(id, documentNodeFromJson(node, message("node {}", id)));
    }
    document.links = linksFromJson(json);
    document.exposed = exposedFromJson(json);
    document.frames = memberOr(json, "frames", nullptr);
    document.notes = memberOr(json, "notes", nullptr);
    document.groups = memberOr(json, "groups", nullptr);
    document.memoryBudget = reader.text("memory_budget");
    document.device = reader.text("device");
    document.collectionThreshold = reader.integer("gc_threshold");
    document.lowMemory = reader.text("low_memory");
    document.isExact = reader.boolean("exact");
    document.extra = unknownKeys(json,
                                 {"format",
                                  "nodes",
                                  "links",
                                  "exposed",
                                  "frames",
                                  "notes",
                                  "groups",
                                  "memory_budget",
                                  "device",
                                  "gc_threshold",
                                  "low_memory",
                                  "exact"});
    return document;
}

Document parseDocument(std::string_view text) {
    return documentFromJson(parseJson(text, "graph"));
}

Json toJson(const Document& document) {
    Json json = document.extra;
    json["format"] = kDocumentFormat;
    json["nodes"] = Json::object();
    for (const auto& [id, node] : document.nodes) {
        json["nodes"][id] = nodeJson(node);
    }
    json["links"] = Json::array();
    for (const Link& link : document.links) {
        json["links"].push_back(linkJson(link));
    }
    for (const ExposedParam& exposed : document.exposed) {
        json["exposed"].push_back(exposedJson(exposed));
    }
    putUnlessNull(json, "frames", document.frames);
    putUnlessNull(json, "notes", document.notes);
    putUnlessNull(json, "groups", document.groups);
    if (document.memoryBudget) {
        json["memory_budget"] = *document.memoryBudget;
    }
    if (document.device) {
        json["device"] = *document.device;
    }
    if (document.collectionThreshold) {
        json["gc_threshold"] = *document.collectionThreshold;
    }
    if (document.lowMemory) {
        json["low_memory"] = *document.lowMemory;
    }
    if (document.isExact) {
        json["exact"] = *document.isExact;
    }
    return json;
}

std::string toText(const Document& document) {
    try {
        return toJson(document).dump(2) + "\n";
    } catch (const Json::exception&) {
        throw Error(ErrorKind::InvalidInput, message("the graph holds a text that is not UTF-8"));
    }
}

namespace {

/// Ten thousand nodes take about 6 MiB.
constexpr Bytes kLargestGraph = 32 * kMiB;
constexpr std::string_view kGraphKey = "lowtide_graph";

using Texts = std::vector<image::ImageText>;

std::vector<std::byte> beginOf(const files::InputFile& file) {
    std::vector<std::byte> begin(static_cast<size_t>(std::min<Bytes>(
        file.identity().size,
        static_cast<Bytes>(std::max(image::kImageBeginBytes, video::kVideoBeginBytes)))));
    file.read(begin, 0);
    return begin;
}

Texts textsOfImage(const files::InputFile& file) {
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    return image::readImageTexts(source, file.name());
}

std::string graphWithin(const Texts& texts, const Message& file) {
    const auto text = std::ranges::find(texts, kGraphKey, &image::ImageText::key);
    if (text == texts.end()) {
        throw Error(ErrorKind::NotFound,
                    message("{} carries no graph", file),
                    message("only images and videos that this program saved carry one; other "
                            "programs often drop it"));
    }
    return text->text;
}

/// A file by its name an image or a video, by its bytes neither, nor the begin of an object.
void refuseBroken(const files::InputFile& file, std::span<const std::byte> begin) {
    if (!image::hasImageName(file.name()) && !video::hasVideoName(file.name())) {
        return;
    }
    constexpr std::string_view kBlank = " \t\r\n\xEF\xBB\xBF";
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const size_t first = text.find_first_not_of(kBlank);
    if (first != std::string_view::npos && text[first] == '{') {
        return;
    }
    throw Error(
        ErrorKind::Corrupt,
        message("{} cannot be read as an image or video: {}",
                quotedName(file.name()),
                begin.empty() ? message("it is empty") : message("it does not begin as one")),
        message("copy it again from where it came, or choose another file"));
}

}  // namespace

std::string readGraphText(const files::InputFile& file) {
    const std::vector<std::byte> begin = beginOf(file);
    const std::string name = quotedName(file.name());
    if (video::beginsAsVideo(begin)) {
        return graphWithin(video::readVideoHeader(file, "").texts, message("the video {}", name));
    }
    if (image::beginsAsImage(begin)) {
        return graphWithin(textsOfImage(file), message("the image {}", name));
    }
    refuseBroken(file, begin);
    return file.readAll(kLargestGraph);
}

std::vector<image::ImageText> readCarriedTexts(const files::InputFile& file) {
    const std::vector<std::byte> begin = beginOf(file);
    if (video::beginsAsVideo(begin)) {
        return video::readVideoHeader(file, "").texts;
    }
    return image::beginsAsImage(begin) ? textsOfImage(file) : Texts();
}

}  // namespace lowtide::graph
