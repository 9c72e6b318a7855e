#include "plugin/interop/exported_values.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/expression.hpp"
#include "plugin/interop/json_members.hpp"
#include "plugin/interop/known_files.hpp"

#include <algorithm>
#include <variant>

namespace lowtide::interop {

namespace {

constexpr const char* kFamily = "family";

std::string withoutMark(std::string name) {
    if (name.ends_with('?')) {
        name.pop_back();
    }
    return name;
}

/// Where the row takes our parameters from: its node's, or what rides on its output.
const std::map<std::string, Json>& paramsOf(const Recipe& recipe) {
    static const std::map<std::string, Json> kNone;
    return !recipe.nodes.empty()     ? recipe.nodes.front().params
           : recipe.settings.empty() ? kNone
                                     : recipe.settings.front();
}

/// The word that the map makes `value` of; nothing: none.
std::optional<Json> wordFor(const Json& map, const Json& value) {
    for (const auto& [word, meant] : map.items()) {
        if (meant == value) {
            const bool isTruth = word == "true" || word == "false";
            return std::optional<Json>(isTruth ? Json(word == "true") : Json(word));
        }
    }
    return std::nullopt;
}

}  // namespace

std::string shownValue(const Json& value) {
    return value.is_string()         ? quotedName(value.get<std::string>())
           : value.is_number_float() ? formatNumber(value.get<double>())
                                     : wordOf(value);
}

std::string fileNameThere(const std::string& path) {
    std::string name = path;
    std::ranges::replace(name, '\\', '/');
    while (name.ends_with('/')) {
        name.pop_back();
    }
    return leavesFolder(name) ? name.substr(name.rfind('/') + 1) : name;
}

ExportValues::ExportValues(const graph::Snapshot& snapshot, const ClassTable& table) {
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        const bool isLoader = std::ranges::any_of(node.desc->outputs, [&](const PortDesc& port) {
            return port.type == "MODEL" && !graph::passedInput(*node.desc, port.id);
        });
        for (const ParamDesc& param : node.desc->params) {
            const auto* file = param.kind == ParamKind::File
                                   ? std::get_if<std::string>(&node.params.at(param.id))
                                   : nullptr;
            const FamilyRow* family = isLoader && file != nullptr ? table.familyOf(*file) : nullptr;
            if (family != nullptr && family_.empty()) {
                family_ = family->id;
                skipsLayer_ = family->skipsLayer;
            }
        }
    }
}

bool ExportValues::applies(const ExportRule& rule, const graph::SnapshotNode& ours) const {
    return std::ranges::all_of(rule.when, [&](const auto& condition) {
        const auto value = ours.params.find(condition.first);
        const auto* text =
            value == ours.params.end() ? nullptr : std::get_if<std::string>(&value->second);
        const std::string given = condition.first == kFamily ? family_
                                  : text == nullptr          ? std::string()
                                                             : toLower(*text);
        return std::ranges::any_of(
            condition.second, [&](const std::string& ending) { return given.ends_with(ending); });
    });
}

bool ExportValues::holds(const Json& condition, const graph::SnapshotNode& ours) const {
    const bool mayBe = family_.empty() || textIn(condition, kFamily) == family_;
    const std::optional<Json> value =
        mayBe ? evaluate(textIn(condition, "expr"), knownValues(ours)) : std::nullopt;
    return value && *value != 0;
}

/// A text counts as whether there is one.
std::map<std::string, Json> ExportValues::knownValues(const graph::SnapshotNode& ours) const {
    std::map<std::string, Json> values = {{"skips_layer", skipsLayer_}};
    for (const auto& [id, value] : ours.params) {
        const auto* text = std::get_if<std::string>(&value);
        values[id] = text == nullptr ? graph::toJson(value) : Json(!text->empty());
    }
    return values;
}

ExportedValues ExportValues::ofClass(const ClassRow& row,
                                     const graph::SnapshotNode& ours,
                                     const std::map<std::string, std::string>& names) const {
    ExportedValues values;
    const Source source{.ours = ours, .names = names, .values = values};
    takeParams(row, source);
    for (const auto& [input, spec] : row.exported.values) {
        if (std::optional<Json> value = from(spec, source)) {
            values.inputs[input] = std::move(*value);
        }
    }
    for (const Widget& widget : row.widgets) {
        if (!widget.name.starts_with('~') && !values.inputs.contains(widget.name) &&
            widget.defaultValue) {
            values.inputs[widget.name] = *widget.defaultValue;
        }
    }
    return values;
}

void ExportValues::takeParams(const ClassRow& row, const Source& source) const {
    for (const auto& [name, spec] : paramsOf(row.recipes.front())) {
        const std::optional<Json> value = paramValue(withoutMark(name), source);
        if (!value) {
            continue;
        }
        if (spec.is_string()) {
            source.values.inputs[spec.get<std::string>()] = *value;
        } else if (const std::string input = textIn(spec, "from"); !input.empty()) {
            if (const std::optional<Json> word = wordFor(memberIn(spec, "map"), *value)) {
                source.values.inputs[input] = *word;
            }
        }
    }
}

std::optional<Json> ExportValues::paramValue(const std::string& name, const Source& source) const {
    const auto other = source.names.find(name);
    const std::string& own = other == source.names.end() ? name : other->second;
    const ParamDesc* desc = graph::findParam(*source.ours.desc, own);
    if (desc == nullptr) {
        return name == kFamily ? std::optional<Json>(family_) : std::nullopt;
    }
    const Json value = graph::toJson(source.ours.params.at(own));
    const bool isFile = desc->kind == ParamKind::File || desc->kind == ParamKind::Folder;
    return isFile && value.is_string()
               ? std::optional<Json>(fileNameThere(value.get<std::string>()))
               : std::optional<Json>(value);
}

std::optional<Json> ExportValues::from(const Json& spec, const Source& source) const {
    if (spec.is_string()) {
        return paramValue(spec.get<std::string>(), source);
    }
    if (spec.is_array()) {
        std::optional<Json> first;
        for (const Json& name : spec) {
            first = paramValue(name.get<std::string>(), source);
            if (first && *first != "") {
                break;
            }
        }
        return first;
    }
    if (spec.contains("is")) {
        return std::optional<Json>(spec["is"]);
    }
    return spec.contains("expr") ? expressed(spec, source) : mapped(spec, source);
}

std::optional<Json> ExportValues::mapped(const Json& spec, const Source& source) const {
    const std::string name = textIn(spec, "from");
    const std::optional<Json> value = paramValue(name, source);
    if (!value) {
        return std::nullopt;
    }
    const ParamDesc* desc = graph::findParam(*source.ours.desc, name);
    const std::string label = desc == nullptr ? name : desc->label;
    const std::string word = wordOf(*value);
    if (spec.contains("least")) {
        if (value->is_number() && *value >= spec["least"]) {
            return value;
        }
        source.values.missing.push_back(
            message("{} is {}, which is no value of ComfyUI", label, shownValue(*value)));
        return std::nullopt;
    }
    const Json& map = spec.at("map");
    if (map.contains(word)) {
        return std::optional<Json>(map[word]);
    }
    if (!spec.contains("else")) {
        source.values.missing.push_back(
            message("{} is {}, which is no value of ComfyUI", label, shownValue(*value)));
        return std::nullopt;
    }
    source.values.near.push_back(message(
        "{} is {}, ComfyUI is given {}", label, shownValue(*value), shownValue(spec["else"])));
    return std::optional<Json>(spec["else"]);
}

std::optional<Json> ExportValues::expressed(const Json& spec, const Source& source) const {
    const auto text = spec["expr"].get<std::string>();
    std::optional<Json> value = evaluate(text, knownValues(source.ours));
    if (!value) {
        source.values.missing.push_back(message("{} cannot be worked out", quotedName(text)));
        return std::nullopt;
    }
    const Json& map = memberIn(spec, "map");
    return map.is_object() ? std::optional<Json>(memberIn(map, wordOf(*value).c_str())) : value;
}

}  // namespace lowtide::interop
