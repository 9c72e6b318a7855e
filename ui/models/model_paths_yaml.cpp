#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"
#include "ui/models/model_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <yaml.h>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestPathsFile = kMiB;

/// libyaml's parser and the tree that it made. Aliases share nodes, nothing is copied for them.
class YamlTree {
public:
    YamlTree(std::string_view text, const std::string& name) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input_string(
            &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
        if (yaml_parser_load(&parser_, &document_) == 0) {
            const std::string problem = parser_.problem ? parser_.problem : "no reason is known";
            const size_t line = parser_.problem_mark.line + 1;
            yaml_parser_delete(&parser_);
            throw Error(ErrorKind::Corrupt,
                        name + " is no YAML: line " + std::to_string(line) + ": " + problem);
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

/// As Python's os.path.expandvars: "$NAME" and "${NAME}"; what the environment does not have stays.
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

/// What a section of the file says: base_path, is_default and, by kind, folders.
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

}  // namespace

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
                    name + " is no list of sections with paths",
                    "choose an extra_model_paths.yaml as ComfyUI has it");
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

std::string absentFolders(const std::string& path, const std::vector<ModelFolder>& folders) {
    std::vector<std::string> absent;
    for (const ModelFolder& folder : folders) {
        std::error_code ignored;
        if (!fs::is_directory(folder.path, ignored)) {
            absent.push_back(quotedName(folder.path));
        }
    }
    return absent.empty() ? std::string()
                          : quotedName(files::lastPart(path)) +
                                " names folders that are not there: " + listSome(absent);
}

}  // namespace lowtide::ui
