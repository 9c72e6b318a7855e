#include "plugin/graph/preset.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"

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
                    version
                        ? message("the preset has the version {}, which never existed", *version)
                        : message("the preset has no \"version\""),
                    message("a preset of this program has \"version\": {}", kPresetVersion),
                    "version");
    }
    if (*version > kPresetVersion) {
        throw Error(ErrorKind::Unsupported,
                    message("the preset has the version {}, this program reads up to version {}",
                            *version,
                            kPresetVersion),
                    message("open it with a newer version of Lowtide"),
                    "version");
    }
}

void readRequirements(const Json& json, Preset& preset) {
    const JsonReader reader(json, "preset.requirements");
    preset.deviceMemory = reader.text("device_memory").value_or("");
    preset.family = reader.text("family").value_or("");
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
    if (!preset.family.empty()) {
        facts["requirements"]["family"] = preset.family;
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
                    message("the file has no key \"preset\": it is no preset"),
                    message("open it as a graph, and save that as a preset"));
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

namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".json";
constexpr Bytes kLargestPreset = 64 * kMiB;

bool isNamed(const PresetFile& file, const std::string& lowerName) {
    return toLower(file.id) == lowerName || toLower(file.title()) == lowerName;
}

std::optional<PresetFile> namedIn(std::vector<PresetFile> files, const std::string& lowerName) {
    const auto found = std::ranges::find_if(
        files, [&](const PresetFile& file) { return isNamed(file, lowerName); });
    return found == files.end() ? std::nullopt : std::optional(std::move(*found));
}

}  // namespace

std::string PresetFile::title() const {
    return refusal || preset.title.empty() ? id : preset.title;
}

Preset readPreset(const std::string& path) {
    const files::InputFile file(path);
    try {
        return parsePreset(file.readAll(kLargestPreset));
    } catch (const Error& error) {
        throw Error(error.kind(),
                    message("{}: {}", file.name(), error.message()),
                    error.hint(),
                    error.item());
    }
}

PresetFile presetFileAt(const std::string& path) {
    PresetFile file{
        .id = fs::path(path).stem().string(), .path = path, .preset = {}, .refusal = {}};
    try {
        file.preset = readPreset(path);
    } catch (const Error& error) {
        file.refusal = error;
    }
    return file;
}

std::vector<PresetFile> presetsOf(const std::string& folder) {
    std::vector<PresetFile> files;
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        if (it->path().extension() == kSuffix && it->is_regular_file(ignored)) {
            files.push_back(presetFileAt(it->path().string()));
        }
    }
    std::sort(files.begin(), files.end(), [](const PresetFile& a, const PresetFile& b) {
        return a.id < b.id;
    });
    return files;
}

PresetFile findPreset(std::string_view name, std::span<const std::string> folders) {
    const std::string lowerName = toLower(trim(name));
    std::vector<std::string> known;
    for (const std::string& folder : folders) {
        std::vector<PresetFile> files = presetsOf(folder);
        for (const PresetFile& file : files) {
            known.push_back(file.id);
        }
        if (std::optional<PresetFile> found = namedIn(std::move(files), lowerName)) {
            return *std::move(found);
        }
    }
    for (const std::string& folder : folders) {
        const std::string within = (fs::path(folder) / kEarlierPresets).string();
        if (std::optional<PresetFile> found = namedIn(presetsOf(within), lowerName)) {
            return *std::move(found);
        }
    }
    const std::string nearest = nearestName(name, known);
    throw Error(ErrorKind::NotFound,
                message("there is no preset {}", quotedName(name)),
                nearest.empty() ? message("lowtide presets lists those that there are")
                                : message("did you mean {}?", nearest));
}

}  // namespace lowtide::graph
