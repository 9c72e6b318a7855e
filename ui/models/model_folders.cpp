#include "ui/models/model_folders.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <yaml.h>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

void addOnce(std::vector<ModelFolder>& folders, const std::vector<ModelFolder>& more) {
    for (const ModelFolder& folder : more) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
            folders.push_back(folder);
        }
    }
}

constexpr Bytes kLargestPathsFile = kMiB;

/// libyaml's parser and the tree that it made. Aliases share nodes, nothing is copied for them.
class YamlTree {
public:
    YamlTree(std::string_view text, const std::string& name) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input_string(
            &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
        if (yaml_parser_load(&parser_, &document_) == 0) {
            const Message problem =
                parser_.problem ? Message(parser_.problem) : message("no reason is known");
            const size_t line = parser_.problem_mark.line + 1;
            yaml_parser_delete(&parser_);
            throw Error(ErrorKind::Corrupt,
                        message("{} is no YAML: line {}: {}", name, line, problem));
        }
    }

    ~YamlTree() {
        yaml_document_delete(&document_);
        yaml_parser_delete(&parser_);
    }

    YamlTree(const YamlTree&) = delete;
    YamlTree& operator=(const YamlTree&) = delete;

    /// nullptr: the text is empty.
    const yaml_node_t* root() { return yaml_document_get_root_node(&document_); }

    const yaml_node_t* node(int id) { return yaml_document_get_node(&document_, id); }

private:
    yaml_parser_t parser_{};
    yaml_document_t document_{};
};

std::string scalarText(const yaml_node_t& node) {
    return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
}

/// Calls `visit(key, value)` for each entry of a map whose key is a text.
template <class Visit>
void visitEntries(YamlTree& tree, const yaml_node_t& map, Visit&& visit) {
    for (auto* pair = map.data.mapping.pairs.start; pair != map.data.mapping.pairs.top; ++pair) {
        const yaml_node_t* key = tree.node(pair->key);
        const yaml_node_t* value = tree.node(pair->value);
        if (key && value && key->type == YAML_SCALAR_NODE) {
            visit(scalarText(*key), *value);
        }
    }
}

std::optional<ModelKind> kindNamed(const std::string& name) {
    for (const KindFolder& folder : kindFolders()) {
        if (folder.isOfComfy && name == folder.name) {
            return folder.kind;
        }
    }
    return std::nullopt;
}

fs::path fromHome(const std::string& path) {
    const char* home = std::getenv("HOME");
    return path.starts_with("~") && home ? fs::path(home + path.substr(1)) : fs::path(path);
}

/// As Python's os.path.expandvars: "$NAME" and "${NAME}"; what is not set is kept.
std::string withVariables(const std::string& text) {
    constexpr std::string_view kNames =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    std::string expanded;
    size_t at = 0;
    while (at < text.size()) {
        const size_t dollar = std::min(text.find('$', at), text.size());
        expanded += text.substr(at, dollar - at);
        const bool isBraced = text.substr(dollar, 2) == "${";
        const size_t begin = dollar + (isBraced ? 2 : 1);
        const size_t end = std::min(
            isBraced ? text.find('}', begin) : text.find_first_not_of(kNames, begin), text.size());
        at = std::min(isBraced ? end + 1 : end, text.size());
        if (dollar < text.size()) {
            const std::string name = begin < end ? text.substr(begin, end - begin) : "";
            const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
            expanded += value ? value : text.substr(dollar, at - dollar);
        }
    }
    return expanded;
}

/// What a section of the file states: base_path, is_default and, by kind, folders.
struct Section {
    std::vector<ModelFolder> folders;
    bool isDefault = false;  ///< they come before those of other sections
};

Section sectionFolders(YamlTree& tree, const yaml_node_t& section, const fs::path& folder) {
    fs::path base = folder;
    Section found;
    visitEntries(tree, section, [&](const std::string& key, const yaml_node_t& value) {
        if (key == "base_path" && value.type == YAML_SCALAR_NODE) {
            base = folder / withVariables(fromHome(trim(scalarText(value))).string());
        } else if (key == "is_default" && value.type == YAML_SCALAR_NODE) {
            found.isDefault = toLower(scalarText(value)) == "true";
        }
    });
    visitEntries(tree, section, [&](const std::string& key, const yaml_node_t& value) {
        const std::optional<ModelKind> kind = kindNamed(key);
        if (!kind || value.type != YAML_SCALAR_NODE) {
            return;
        }
        for (const std::string& line : split(scalarText(value), '\n')) {
            if (const std::string path = trim(line); !path.empty()) {
                const fs::path plain = (base / fromHome(path)).lexically_normal();
                found.folders.push_back(
                    {(plain.has_filename() ? plain : plain.parent_path()).string(), *kind});
            }
        }
    });
    return found;
}

constexpr int kDeepest = 8;
constexpr std::array<std::string_view, 5> kEndings = {
    ".safetensors", ".gguf", ".ckpt", ".pth", ".pt"};

/// "model-00002-of-00006.safetensors", of which the first stands for all.
bool isLaterShard(const fs::path& path) {
    constexpr std::string_view kOf = "-of-";
    constexpr size_t kDigits = 5;
    const std::string stem = path.stem().string();
    const size_t of = stem.rfind(kOf);
    if (of == stem.npos || of < kDigits + 1 || stem.size() != of + kOf.size() + kDigits) {
        return false;
    }
    const std::string number = stem.substr(of - kDigits, kDigits);
    const bool isNumber = number.find_first_not_of("0123456789") == number.npos;
    return isNumber && stem[of - kDigits - 1] == '-' && number != "00001";
}

}  // namespace

bool isModelPathsFile(std::string_view path) {
    return path.ends_with(".yaml") || path.ends_with(".yml");
}

std::vector<ModelFolder> modelFoldersIn(const std::string& chosen) {
    std::error_code unreadable;
    if (fs::exists(fs::path(chosen) / "model_index.json", unreadable)) {
        return {{chosen, ModelKind::Checkpoint}};  // one model, whose parts lie in folders of it
    }
    std::vector<ModelFolder> folders;
    for (const fs::path& base : {fs::path(chosen), fs::path(chosen) / "models"}) {
        for (const KindFolder& named : kindFolders()) {
            std::error_code ignored;
            if (fs::is_directory(base / named.name, ignored)) {
                folders.push_back({(base / named.name).string(), named.kind});
            }
        }
    }
    if (folders.empty()) {
        const fs::path hub = fs::path(chosen) / "hub";  // of Hugging Face's cache
        std::error_code ignored;
        const bool isCache = fs::is_directory(hub, ignored);
        folders.push_back({isCache ? hub.string() : chosen, ModelKind::Other});
    }
    return folders;
}

ResolvedFolders resolveFolders(const std::vector<std::string>& chosen,
                               const std::vector<std::string>& pathsFiles) {
    ResolvedFolders resolved;
    for (const std::string& folder : chosen) {
        std::error_code ignored;
        if (fs::is_directory(folder, ignored)) {
            addOnce(resolved.folders, modelFoldersIn(folder));
        } else {
            resolved.missing.push_back(folder);
        }
    }
    for (const std::string& file : pathsFiles) {
        try {
            const std::vector<ModelFolder> named = readModelPaths(file);
            addOnce(resolved.folders, named);
            if (Message absent = absentFolders(file, named); !absent.empty()) {
                resolved.problems.push_back(std::move(absent));
            }
        } catch (const Error& error) {
            resolved.problems.push_back(error.message());
        }
    }
    return resolved;
}

std::vector<ModelFolder> parseModelPaths(std::string_view text,
                                         const std::string& folder,
                                         const std::string& name) {
    YamlTree tree(text, name);
    const yaml_node_t* root = tree.root();
    if (root == nullptr || (root->type == YAML_SCALAR_NODE && scalarText(*root).empty())) {
        return {};
    }
    if (root->type != YAML_MAPPING_NODE) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is no list of sections with paths", name),
                    message("choose an extra_model_paths.yaml as ComfyUI has it"));
    }
    std::vector<ModelFolder> folders;
    visitEntries(tree, *root, [&](const std::string&, const yaml_node_t& section) {
        if (section.type == YAML_MAPPING_NODE) {
            const Section found = sectionFolders(tree, section, folder);
            folders.insert(found.isDefault ? folders.begin() : folders.end(),
                           found.folders.begin(),
                           found.folders.end());
        }
    });
    return folders;
}

std::vector<ModelFolder> readModelPaths(const std::string& path) {
    const files::InputFile file(path);
    return parseModelPaths(file.readAll(kLargestPathsFile), files::folderOf(path), file.name());
}

Message absentFolders(const std::string& path, const std::vector<ModelFolder>& folders) {
    std::vector<std::string> absent;
    for (const ModelFolder& folder : folders) {
        std::error_code ignored;
        if (!fs::is_directory(folder.path, ignored)) {
            absent.push_back(quotedName(folder.path));
        }
    }
    return absent.empty() ? Message()
                          : message("{} names folders that are not there: {}",
                                    quotedName(files::lastPart(path)),
                                    listSome(absent));
}

bool hasWeightsEnding(const fs::path& path) {
    const std::string ending = toLower(path.extension().string());
    return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool ModelFinder::enter(const fs::path& folder, const fs::path& relative, int depth) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    if (failure || depth > kDeepest || !visited_.insert(real).second) {
        return true;
    }
    if (const auto snapshot = files::hubSnapshot(folder.string())) {
        const fs::path named = relative.parent_path() / files::hubName(folder.string());
        return enter(*snapshot, named, depth + 1);
    }
    if (fs::exists(folder / "model_index.json", failure)) {
        const fs::path named = relative.empty() ? folder.filename() : relative;
        return visit_({.path = folder.string(), .relative = named.string(), .isFolder = true});
    }
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        const fs::path path = it->path();
        const fs::path named = relative / path.filename();
        std::error_code ignored;
        if (it->is_directory(ignored)) {
            if (!enter(path, named, depth + 1)) {
                return false;
            }
        } else if (isWeights_(path) && !isLaterShard(path) && it->is_regular_file(ignored) &&
                   !visit_({.path = path.string(), .relative = named.string()})) {
            return false;
        }
    }
    return true;
}

}  // namespace lowtide::ui
