#include "ui/document/image_values.hpp"

#include "plugin/graph/param_value.hpp"
#include "plugin/graph/wiring.hpp"
#include "ui/document/inpainting.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace lowtide::ui {

namespace {

/// Of a node that saves: what its file names begin with.
constexpr const char* kPrefix = "prefix";

bool beginsWithNothing(const NodeDesc& node) {
    return std::ranges::none_of(node.inputs, [](const PortDesc& port) {
        return port.type == kLatentType || port.type == kImageType;
    });
}

/// Whether the file is "<prefix>_<number>.<ending>"; the prefix may name a folder.
bool isNamedBy(const std::string& prefix, const std::string& file) {
    const std::string start = prefix.substr(prefix.rfind('/') + 1) + "_";
    if (!file.starts_with(start)) {
        return false;
    }
    const std::string_view rest = std::string_view(file).substr(start.size());
    const size_t digits = rest.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos && rest[digits] == '.';
}

NodeIds saversOf(const graph::Document& document,
                 const graph::Catalog& catalog,
                 const std::string& file) {
    NodeIds savers;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        const ParamDesc* prefix = desc && desc->output ? graph::findParam(*desc, kPrefix) : nullptr;
        const Json name = prefix ? graph::valueOf(node, *prefix) : Json();
        if (name.is_string() && isNamedBy(name.get<std::string>(), file)) {
            savers.insert(id);
        }
    }
    return savers;
}

bool isWanted(ImageRole role, ImageUse use) {
    switch (use) {
        case ImageUse::Prompt:
            return role == ImageRole::Prompt || role == ImageRole::Negative;
        case ImageUse::Seed:
            return role == ImageRole::Seed;
        case ImageUse::Size:
            return role == ImageRole::Width || role == ImageRole::Height;
        case ImageUse::All:
            return true;
    }
    return false;
}

bool isEmptyText(const Json& value) {
    return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

/// One graph while it takes values.
class ValueUser {
public:
    ValueUser(graph::Document& document,
              const graph::Catalog& catalog,
              const std::vector<ImageValue>& values)
        : document_(document), catalog_(catalog), nodes_(nodesBehind(document, catalog)) {
        pair(values);
    }

    /// False: no node takes it.
    bool use(const ImageValue& value) {
        const auto paired = pairs_.find(value.node);
        if (paired != pairs_.end()) {
            return set(paired->second, *value.param, value.value);
        }
        if (value.role == ImageRole::Other) {
            return false;
        }
        for (const std::string& id : nodes_) {
            const NodeDesc* desc = descOf(id);
            for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
                const bool isSame = imageRoleOf(*desc, param) == value.role;
                if (isSame && !isPaired(id) && !given_.contains({id, param.id}) &&
                    set(id, param, value.value)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether the node that would take the value has it.
    [[nodiscard]] bool has(const ImageValue& value) const {
        const auto paired = pairs_.find(value.node);
        return paired != pairs_.end() &&
               graph::valueOf(document_.nodes.at(paired->second), *value.param) == value.value;
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const {
        return catalog_.find(document_.nodes.at(id).type);
    }

    [[nodiscard]] bool isPaired(const std::string& id) const { return paired_.contains(id); }

    void pair(const std::vector<ImageValue>& values) {
        std::map<std::string, const NodeDesc*> sources;
        for (const ImageValue& value : values) {
            sources.emplace(value.node, value.desc);
        }
        for (const auto& [id, desc] : sources) {
            if (nodes_.contains(id) && descOf(id) == desc) {
                pairs_[id] = id;
                paired_.insert(id);
            }
        }
        for (const auto& [id, desc] : sources) {
            if (pairs_.contains(id)) {
                continue;
            }
            const auto free = std::ranges::find_if(nodes_, [&, type = desc](const auto& each) {
                return !isPaired(each) && descOf(each) == type;
            });
            if (free != nodes_.end()) {
                pairs_[id] = *free;
                paired_.insert(*free);
            }
        }
    }

    bool set(const std::string& id, const ParamDesc& param, const Json& value) {
        graph::DocumentNode& node = document_.nodes.at(id);
        if (!std::holds_alternative<Scalar>(graph::checkParam(param, value))) {
            return false;
        }
        if (graph::valueOf(node, param) != value) {
            node.params[param.id] = value;
        }
        if (param.kind == ParamKind::Seed) {
            setSeedMode(node, param.id, SeedMode::Keep);
        }
        given_.insert({id, param.id});
        return true;
    }

    graph::Document& document_;
    const graph::Catalog& catalog_;
    NodeIds nodes_;                             ///< that make the images of the graph
    std::map<std::string, std::string> pairs_;  ///< nodes of the image, and those that take theirs
    NodeIds paired_;                            ///< the latter
    std::set<std::pair<std::string, std::string>> given_;  ///< nodes and parameters
};

}  // namespace

ImageRole imageRoleOf(const NodeDesc& node, const ParamDesc& param) {
    if (param.kind == ParamKind::Seed) {
        return ImageRole::Seed;
    }
    if (param.kind == ParamKind::Text && param.multiline && !param.advanced) {
        return param.id == "negative" ? ImageRole::Negative : ImageRole::Prompt;
    }
    if (param.kind == ParamKind::Choice && param.id == "sampler") {
        return ImageRole::Sampler;
    }
    if (param.kind == ParamKind::Float && param.id == "cfg") {
        return ImageRole::Guidance;
    }
    if (param.kind != ParamKind::Int) {
        return ImageRole::Other;
    }
    return param.id == "steps"                               ? ImageRole::Steps
           : param.id == "width" && beginsWithNothing(node)  ? ImageRole::Width
           : param.id == "height" && beginsWithNothing(node) ? ImageRole::Height
                                                             : ImageRole::Other;
}

NodeIds nodesBehind(const graph::Document& document,
                    const graph::Catalog& catalog,
                    const std::string& file) {
    graph::Document run = document;
    run.until = saversOf(document, catalog, file);
    NodeIds nodes = graph::Wiring(run, catalog).pulled();
    if (!nodes.empty()) {
        return nodes;
    }
    for (const auto& [id, node] : document.nodes) {
        if (node.mode == graph::NodeMode::Active) {
            nodes.insert(id);
        }
    }
    return nodes;
}

std::vector<ImageValue> valuesBehind(const graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const std::string& file) {
    std::vector<ImageValue> values;
    for (const std::string& id : nodesBehind(document, catalog, file)) {
        const graph::DocumentNode& node = document.nodes.at(id);
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>()) {
            Json value = graph::valueOf(node, param);
            const bool isDefault = value == graph::toJson(param.defaultValue);
            values.push_back({.role = imageRoleOf(*desc, param),
                              .node = id,
                              .desc = desc,
                              .param = graph::findParam(*desc, param.id),
                              .value = std::move(value),
                              .isDefault = isDefault});
        }
    }
    return values;
}

UsedValues useValues(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::vector<ImageValue>& values,
                     ImageUse use) {
    ValueUser user(document, catalog, values);
    UsedValues used;
    for (const ImageValue& value : values) {
        if (!isWanted(value.role, use) || value.desc->output) {
            continue;
        }
        const bool isFile = value.param->kind == ParamKind::File;
        if (isFile ? user.has(value) : user.use(value)) {
            used.taken += isFile ? 0 : 1;
        } else if (!isEmptyText(value.value) &&
                   (value.role != ImageRole::Other || !value.isDefault)) {
            used.left.push_back(value);
        }
    }
    return used;
}

}  // namespace lowtide::ui
