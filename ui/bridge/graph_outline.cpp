#include "ui/bridge/graph_outline.hpp"

#include "plugin/graph/catalog.hpp"
#include "ui/bridge/scrubber.hpp"
#include "ui/document/edits.hpp"

#include <algorithm>
#include <regex>

namespace lowtide::ui {

namespace {

bool isFileKind(ParamKind kind) {
    return kind == ParamKind::File || kind == ParamKind::Folder;
}

Json hidden(const std::string& text) {
    const auto length = QString::fromStdString(text).size();
    return "<text, " + std::to_string(length) + (length == 1 ? " character>" : " characters>");
}

bool isWord(const std::string& text) {
    static const std::regex word("[A-Za-z0-9_+.:*%-]{1,40}");
    return std::regex_match(text, word);
}

/// Numbers and single words of settings; other texts are hidden.
Json plainValue(const Json& value) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return isWord(text) ? value : hidden(text);
    }
    Json plain = value;
    if (value.is_structured()) {
        for (Json& each : plain) {
            each = plainValue(each);
        }
    }
    return plain;
}

Json withoutTextsIn(const Json& value) {
    if (value.is_string()) {
        return hidden(value.get_ref<const std::string&>());
    }
    return value.is_structured() ? Json("<value>") : value;
}

Json paramOutline(const ParamDesc* param, const Json& value, bool hasTexts) {
    if (!param || !value.is_string()) {
        return withoutTextsIn(value);
    }
    const auto& text = value.get_ref<const std::string&>();
    if (isFileKind(param->kind)) {
        return scrubbedPath(QString::fromStdString(text)).toStdString();
    }
    const bool isChoice = std::any_of(param->choices.begin(),
                                      param->choices.end(),
                                      [&](const ChoiceDesc& each) { return each.id == text; });
    const bool isOpen = param->kind == ParamKind::Text && hasTexts;
    return isChoice || isOpen ? value : hidden(text);
}

const NodeDesc* typeOf(const graph::DocumentNode& node, const KnownTypes& types) {
    const auto found = types.find(node.type);
    return found == types.end() ? nullptr : &found->second;
}

Json nodeOutline(const graph::DocumentNode& node, const NodeDesc* desc, bool hasTexts) {
    Json outline = {{"type", node.type}, {"v", node.version}};
    for (const auto& [key, value] : node.params.items()) {
        const ParamDesc* param = desc ? graph::findParam(*desc, key) : nullptr;
        outline["params"][key] = paramOutline(param, value, hasTexts);
    }
    if (!node.memory.is_null()) {
        outline["memory"] = plainValue(node.memory);
    }
    if (!node.precision.is_null()) {
        outline["precision"] = plainValue(node.precision);
    }
    if (node.mode != graph::NodeMode::Active) {
        outline["mode"] = node.mode == graph::NodeMode::Muted ? "muted" : "bypassed";
    }
    return outline;
}

QStringList valuesOf(const graph::Document& document,
                     const KnownTypes& types,
                     bool (*isWanted)(const ParamDesc*, const std::string& value)) {
    QStringList values;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = typeOf(node, types);
        for (const auto& [key, value] : node.params.items()) {
            const ParamDesc* param = desc ? graph::findParam(*desc, key) : nullptr;
            if (value.is_string() && isWanted(param, value.get<std::string>())) {
                values << QString::fromStdString(value.get<std::string>());
            }
        }
    }
    return values;
}

}  // namespace

std::map<std::string, std::string> plainIds(const graph::Document& document,
                                            const KnownTypes& types) {
    graph::Document renamed;
    std::map<std::string, std::string> ids;
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = typeOf(node, types);
        const std::string made = freshId({}, desc ? *desc : NodeDesc{});
        const std::string type = desc ? desc->id.substr(desc->id.find('.') + 1) : made;
        const auto isOf = [&](const std::string& base) {
            static const std::regex number("(_?[0-9]+)?");
            return id.starts_with(base) && std::regex_match(id.substr(base.size()), number);
        };
        const auto isPart = desc && desc->id.substr(0, desc->id.find('.')) == id;
        const bool isPlain = isOf(made) || isOf(type) || isPart;
        ids[id] = isPlain ? id : std::string();
        if (isPlain) {
            renamed.nodes[id];
        }
    }
    for (const auto& [id, node] : document.nodes) {
        if (ids[id].empty()) {
            const NodeDesc* desc = typeOf(node, types);
            ids[id] = freshId(renamed, desc ? *desc : NodeDesc{});
            renamed.nodes[ids[id]];
        }
    }
    return ids;
}

Json outlineOf(const graph::Document& document,
               const KnownTypes& types,
               const std::map<std::string, std::string>& ids,
               bool hasTexts) {
    const auto idOf = [&](const std::string& id) {
        const auto found = ids.find(id);
        return found == ids.end() ? std::string("?") : found->second;
    };
    Json outline = {{"nodes", Json::object()}, {"links", Json::array()}};
    for (const auto& [id, node] : document.nodes) {
        outline["nodes"][idOf(id)] = nodeOutline(node, typeOf(node, types), hasTexts);
    }
    for (const graph::Link& link : document.links) {
        outline["links"].push_back(idOf(link.from.node) + "." + link.from.port + " -> " +
                                   idOf(link.to.node) + "." + link.to.port);
    }
    const auto put = [&](const char* key, const auto& value) {
        if (value) {
            outline[key] = plainValue(Json(*value));
        }
    };
    put("device", document.device);
    put("memory_budget", document.memoryBudget);
    put("low_memory", document.lowMemory);
    put("gc_threshold", document.collectionThreshold);
    put("exact", document.isExact);
    return outline;
}

QStringList textsIn(const graph::Document& document, const KnownTypes& types) {
    return valuesOf(document, types, [](const ParamDesc* param, const std::string& value) {
        return !param || (param->kind == ParamKind::Text && param->defaultValue != Scalar(value));
    });
}

QStringList filesIn(const graph::Document& document, const KnownTypes& types) {
    return valuesOf(document, types, [](const ParamDesc* param, const std::string&) {
        return param && isFileKind(param->kind);
    });
}

}  // namespace lowtide::ui
