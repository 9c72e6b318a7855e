#include "plugin/graph/preset.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

namespace lowtide::graph {

namespace {

constexpr const char* kKnown[] = {
    "version", "title", "description", "tags", "requirements", "thumbnail"};

void checkVersion(const JsonReader& facts) {
    const std::optional<int64_t> version = facts.integer("version");
    if (!version || *version < 1) {
        throw Error(ErrorKind::Corrupt,
                    version ? "the preset has the version " + std::to_string(*version) +
                                  ", which never existed"
                            : "the preset has no \"version\"",
                    "a preset of this program has \"version\": " + std::to_string(kPresetVersion),
                    "version");
    }
    if (*version > kPresetVersion) {
        throw Error(ErrorKind::Unsupported,
                    "the preset has the version " + std::to_string(*version) +
                        ", this program reads up to version " + std::to_string(kPresetVersion),
                    "open it with a newer version of Lowtide",
                    "version");
    }
}

void readRequirements(const Json& json, Preset& preset) {
    const JsonReader reader(json, "preset.requirements");
    preset.deviceMemory = reader.text("device_memory").value_or("");
    const Json* files = reader.member("files");
    if (files == nullptr) {
        return;
    }
    const JsonReader lists(*files, "preset.requirements.files");
    for (const auto& [kind, unused] : files->items()) {
        preset.files[kind] = lists.texts(kind.c_str()).value_or(std::vector<std::string>{});
    }
}

Json factsOf(const Preset& preset) {
    Json facts = preset.extra;
    facts["version"] = kPresetVersion;
    facts["title"] = preset.title;
    facts["description"] = preset.description;
    facts["tags"] = preset.tags;
    facts["requirements"] = {{"files", preset.files}};
    if (!preset.deviceMemory.empty()) {
        facts["requirements"]["device_memory"] = preset.deviceMemory;
    }
    if (!preset.thumbnail.empty()) {
        facts["thumbnail"] = preset.thumbnail;
    }
    return facts;
}

using FileVisit = std::function<void(const ParamDesc&, Json&)>;

/// Each file that a known node names with a text that is not empty.
void visitFiles(Document& document, const Catalog& catalog, const FileVisit& visit) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>{}) {
            const auto value = node.params.find(param.id);
            if (param.kind == ParamKind::File && value != node.params.end() && value->is_string() &&
                !value->get_ref<const std::string&>().empty()) {
                visit(param, *value);
            }
        }
    }
}

std::string nameSeenFrom(const std::string& folder, const std::filesystem::path& full) {
    if (folder.empty()) {
        return full.string();
    }
    const std::filesystem::path relative =
        full.lexically_relative(std::filesystem::absolute(folder).lexically_normal());
    return relative.empty() || *relative.begin() == ".." ? full.string() : relative.string();
}

}  // namespace

Preset parsePreset(std::string_view text) {
    Json json = parseJson(text, "preset");
    const Json* const facts = JsonReader(json, "preset").member(kPresetKey);
    if (facts == nullptr) {
        throw Error(ErrorKind::Corrupt,
                    "the file has no key \"preset\": it is no preset",
                    "open it as a graph, and save that as a preset");
    }
    const JsonReader reader(*facts, "preset");
    checkVersion(reader);
    Preset preset;
    preset.title = reader.text("title").value_or("");
    preset.description = reader.text("description").value_or("");
    preset.tags = reader.texts("tags").value_or(std::vector<std::string>{});
    preset.thumbnail = reader.text("thumbnail").value_or("");
    if (const Json* requirements = reader.member("requirements")) {
        readRequirements(*requirements, preset);
    }
    for (const auto& [key, value] : facts->items()) {
        if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
            preset.extra[key] = value;
        }
    }
    json.erase(kPresetKey);
    preset.document = documentFromJson(std::move(json));
    return preset;
}

std::string toText(const Preset& preset) {
    Document document = preset.document;
    document.extra[kPresetKey] = factsOf(preset);
    return toText(document);
}

RequiredFiles requiredFiles(const Document& document, const Catalog& catalog) {
    RequiredFiles files;
    Document seen = document;
    visitFiles(seen, catalog, [&](const ParamDesc& param, const Json& value) {
        std::vector<std::string>& known = files[param.id];
        const std::string name = value.get<std::string>();
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            known.push_back(name);
        }
    });
    return files;
}

Document rebased(Document document,
                 const Catalog& catalog,
                 const std::string& from,
                 const std::string& to) {
    if (from == to && !to.empty()) {
        return document;
    }
    visitFiles(document, catalog, [&](const ParamDesc&, Json& value) {
        const std::filesystem::path typed = value.get<std::string>();
        const std::filesystem::path full = std::filesystem::path(from) / typed;
        std::error_code ignored;
        if (typed.is_relative() && std::filesystem::exists(full, ignored)) {
            value = nameSeenFrom(to, std::filesystem::absolute(full).lexically_normal());
        }
    });
    return document;
}

Document anchored(Document document, const Catalog& catalog, const std::string& folder) {
    return rebased(std::move(document), catalog, folder, {});
}

}  // namespace lowtide::graph
