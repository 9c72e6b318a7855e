#include "plugin/graph/migration.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"

#include <array>
#include <string>

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
        throw Error(
            ErrorKind::Corrupt,
            format ? "graph has the format " + std::to_string(*format) + ", which never existed"
                   : "graph has no \"format\"",
            "a graph of this program starts with \"format\": " + std::to_string(newest),
            "format");
    }
    if (*format > newest) {
        throw Error(ErrorKind::Unsupported,
                    "graph has the format " + std::to_string(*format) +
                        ", this version reads up to format " + std::to_string(newest),
                    "open it with a newer version",
                    "format");
    }
    for (int64_t step = *format; step < newest; ++step) {
        list[static_cast<size_t>(step - 1)](document);
    }
    document["format"] = newest;
}

}  // namespace lowtide::graph
