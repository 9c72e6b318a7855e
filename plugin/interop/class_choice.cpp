#include "plugin/interop/class_choice.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/json_members.hpp"
#include "plugin/interop/model_parts.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>
#include <variant>

namespace lowtide::interop {

namespace {

/// "clip_vision" as a wire type: "CLIP_VISION".
std::string wireTypeNamed(std::string name) {
    std::ranges::transform(
        name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
}

/// The row's value of our parameter; nullptr: it has none.
const Json* specOf(const Recipe& recipe, const std::string& param) {
    const auto& params = recipe.nodes.front().params;
    for (const std::string& name : {param, param + "?"}) {
        if (const auto spec = params.find(name); spec != params.end()) {
            return &spec->second;
        }
    }
    return nullptr;
}

/// Whether the first recipe can be read backwards.
bool isInvertible(const ClassRow& row) {
    if (!row.exported.isUsed || row.recipes.empty() || row.recipes.front().nodes.size() != 1) {
        return false;
    }
    return !row.exported.values.empty() ||
           std::ranges::none_of(row.recipes.front().nodes.front().params,
                                [](const auto& param) { return param.second.contains("expr"); });
}

/// Whether further nodes of its recipe feed what takes its outputs.
bool isCompound(const ClassRow& row) {
    return row.exported.isUsed && !row.recipes.empty() && row.recipes.front().nodes.size() > 1 &&
           !row.recipes.front().through.empty() &&
           std::ranges::any_of(row.recipes.front().carries,
                               [](const auto& wire) { return wire.second.starts_with('@'); });
}

bool isEmptyFile(const ParamDesc& param, const Scalar& value) {
    const auto* text = std::get_if<std::string>(&value);
    return (param.kind == ParamKind::File || param.kind == ParamKind::Folder) && text != nullptr &&
           text->empty();
}

/// A folder in the layout of diffusers, or a model that comes with the program.
bool isNoFileOfWeights(const ParamDesc& param, const Scalar& value) {
    constexpr std::string_view kEndings[] = {
        ".safetensors", ".sft", ".ckpt", ".pt", ".pt2", ".pth", ".bin", ".gguf"};
    const auto* text = std::get_if<std::string>(&value);
    return param.kind == ParamKind::File && text != nullptr && !text->empty() &&
           std::ranges::none_of(
               kEndings, [&](std::string_view each) { return toLower(*text).ends_with(each); });
}

/// The input of a loader that has the file which a checkpoint's loader takes for that parameter;
/// empty: it has none.
std::string inputOfFile(const ClassRow& row, const std::string& param) {
    if (row.role == ModelRole::Autoencoder && param == kAutoencoderParam) {
        return row.widgets.front().name;
    }
    for (const Recipe& recipe : row.recipes) {
        const auto& params = recipe.nodes.front().params;
        const auto spec = params.find(param);
        if (recipe.when == kOfCheckpoint && spec != params.end() && spec->second.is_string()) {
            return spec->second.get<std::string>();
        }
    }
    return {};
}

bool isPartPort(const ClassRow& row, const std::string& port) {
    return row.role == ModelRole::Model && (port == portOfRole(ModelRole::TextEncoder) ||
                                            port == portOfRole(ModelRole::Autoencoder) ||
                                            port == portOfRole(ModelRole::ImageEncoder));
}

}  // namespace

struct ClassChoice::Fit {
    const ClassRow& row;
    std::vector<Message> near{};
    std::vector<Message> missing{};
    std::vector<Message> notes{};  ///< near, too, but another row would not be better
    size_t empty = 0;              ///< inputs of the class that nothing is given to
    size_t settled = 0;            ///< values that the class has by itself

    [[nodiscard]] const Recipe& recipe() const { return row.recipes.front(); }

    /// Why the class gives another image; empty: it does not.
    [[nodiscard]] std::string reason() const { return row.exported.near.value_or(recipe().near); }

    /// Less is better.
    [[nodiscard]] auto rank() const {
        return std::tuple(missing.size(),
                          near.size(),
                          !reason().empty(),
                          row.exported.when.empty(),
                          empty,
                          -static_cast<int64_t>(settled));
    }

    void note(const std::string& item) {
        const auto how = row.exported.takes.find(item);
        if (how != row.exported.takes.end() && !how->second.empty()) {
            notes.emplace_back(how->second);
        }
    }

    /// A parameter of ours that the row has.
    void take(const ParamDesc& param, const Scalar& value, const Json& spec) {
        const Json json = graph::toJson(value);
        empty += isEmptyFile(param, value) ? 1 : 0;
        if (row.role != ModelRole::None && isNoFileOfWeights(param, value)) {
            notes.push_back(message(
                "{} is {}, which is no file that ComfyUI opens", param.label, shownValue(json)));
        }
        if (spec.contains("is")) {
            takeConstant(param, json, spec["is"]);
            return;
        }
        const Json& map = memberIn(spec, "map");
        const bool isLacking =
            map.is_object() && !row.exported.values.contains(textIn(spec, "from")) &&
            std::none_of(map.begin(), map.end(), [&](const Json& meant) { return meant == json; });
        if (isLacking) {
            missing.push_back(
                message("{} is {}, which is no value of ComfyUI", param.label, shownValue(json)));
        }
    }

    /// An import gives the constant, or the default where this version lacks it.
    void takeConstant(const ParamDesc& param, const Json& value, const Json& constant) {
        const bool isKnown = std::holds_alternative<Scalar>(graph::checkParam(param, constant));
        const Json expected = isKnown ? constant : graph::toJson(param.defaultValue);
        if (value == expected) {
            ++settled;
            return;
        }
        near.push_back(message(
            "{} is {}, in ComfyUI it is {}", param.label, shownValue(value), shownValue(expected)));
    }
};

ClassChoice::ClassChoice(const ClassTable& table) {
    for (const auto& [name, row] : table.rows()) {
        types_.insert(row.outputTypes.begin(), row.outputTypes.end());
        if (isInvertible(row)) {
            rows_[row.recipes.front().nodes.front().type].push_back(&row);
            if (row.role != ModelRole::None) {
                loaders_.push_back(&row);
            }
        } else if (row.exported.isUsed && !row.recipes.empty() &&
                   row.recipes.front().nodes.empty() && !row.recipes.front().through.empty() &&
                   !row.outputTypes.empty()) {
            between_.push_back(&row);
        } else if (isCompound(row)) {
            compounds_.push_back(&row);
        }
    }
}

std::optional<ChosenClass> ClassChoice::choose(
    const graph::SnapshotNode& ours,
    const ExportValues& values,
    const std::function<bool(const graph::SnapshotInput&)>& ridesOn) const {
    const auto rows = rows_.find(ours.desc->id);
    if (rows == rows_.end()) {
        return std::nullopt;
    }
    std::vector<Fit> fits;
    for (const ClassRow* row : rows->second) {
        if (values.applies(row->exported, ours)) {
            fits.push_back(fitOf(*row, ours, values, ridesOn));
        }
    }
    const auto best = std::ranges::min_element(
        fits, [](const Fit& a, const Fit& b) { return a.rank() < b.rank(); });
    if (best == fits.end()) {
        return std::nullopt;
    }
    best->near.insert(best->near.end(), best->notes.begin(), best->notes.end());
    if (const std::string reason = best->reason(); !reason.empty()) {
        best->near.emplace_back(reason);
    }
    return ChosenClass{
        .row = &best->row, .near = std::move(best->near), .missing = std::move(best->missing)};
}

ClassChoice::Fit ClassChoice::fitOf(
    const ClassRow& row,
    const graph::SnapshotNode& ours,
    const ExportValues& values,
    const std::function<bool(const graph::SnapshotInput&)>& ridesOn) const {
    Fit fit{.row = row};
    for (const ParamDesc& param : ours.desc->params) {
        if (!param.cosmetic) {
            fitParam(fit, param, ours, values);
        }
    }
    const auto& inputs = fit.recipe().nodes.front().inputs;
    for (const graph::SnapshotInput& input : ours.inputs) {
        const bool isTakenBetween =
            ridesOn(input) || (carrierOf(input.port) != nullptr &&
                               hasInputOf(row, ours, carrierOf(input.port)->outputTypes.front()));
        const bool isTakenHere = inputs.contains(input.port) || isPartPort(row, input.port) ||
                                 row.exported.takes.contains(input.port);
        fit.note(input.port);
        if (!isTakenHere && !isTakenBetween) {
            fit.missing.push_back(message("ComfyUI's {} has no input for {}",
                                          row.name,
                                          graph::findInput(*ours.desc, input.port)->label));
        }
    }
    for (const auto& [port, name] : inputs) {
        fit.empty += ours.input(port) == nullptr ? 1 : 0;
    }
    return fit;
}

void ClassChoice::fitParam(Fit& fit,
                           const ParamDesc& param,
                           const graph::SnapshotNode& ours,
                           const ExportValues& values) const {
    const Scalar& value = ours.params.at(param.id);
    if (const Json* spec = specOf(fit.recipe(), param.id)) {
        fit.take(param, value, *spec);
        return;
    }
    if (value != param.defaultValue) {
        fit.note(param.id);
    }
    const bool isOwnPart =
        fit.row.role == ModelRole::Model && loaderOf(param.id, "").first != nullptr;
    const ClassRow* rider = riderOf(param.id, ours, values);
    const bool isRidden = rider != nullptr && hasInputOf(fit.row, ours, rider->outputTypes.front());
    if (isTaken(fit.row, param.id) || value == param.defaultValue || isOwnPart || isRidden) {
        return;
    }
    if (param.kind == ParamKind::File || param.kind == ParamKind::Folder) {
        fit.missing.push_back(message("ComfyUI's {} takes no {}", fit.row.name, param.label));
    } else {
        fit.near.push_back(message("{} is {}, which ComfyUI's {} does not have",
                                   param.label,
                                   shownValue(graph::toJson(value)),
                                   fit.row.name));
    }
}

bool ClassChoice::hasInputOf(const ClassRow& row,
                             const graph::SnapshotNode& ours,
                             const std::string& type) const {
    return std::ranges::any_of(row.recipes.front().nodes.front().inputs, [&](const auto& input) {
        const PortDesc* port = graph::findInput(*ours.desc, input.first);
        return port != nullptr && ours.input(input.first) != nullptr &&
               typeOfInput(input.second, port->type) == type;
    });
}

std::string ClassChoice::typeOfInput(const std::string& name, const std::string& ours) const {
    std::string type = wireTypeNamed(name);
    return types_.contains(type) ? type : ours;
}

const ClassRow* ClassChoice::converter(const std::string& from, const std::string& to) const {
    const auto row = std::ranges::find_if(between_, [&](const ClassRow* each) {
        const std::string taken = wireTypeNamed(each->recipes.front().through.front());
        return from != to && each->outputTypes.front() == to &&
               (taken == from || taken == from + "S");  // "images" are given an IMAGE
    });
    return row == between_.end() ? nullptr : *row;
}

const ClassRow* ClassChoice::riderOf(const std::string& param,
                                     const graph::SnapshotNode& ours,
                                     const ExportValues& values) const {
    const auto row = std::ranges::find_if(between_, [&](const ClassRow* each) {
        const auto& settings = each->recipes.front().settings;
        return settings.size() == 1 && settings.front().contains(param) &&
               values.applies(each->exported, ours);
    });
    return row == between_.end() ? nullptr : *row;
}

const ClassRow* ClassChoice::carrierOf(const std::string& port) const {
    const auto row = std::ranges::find_if(between_, [&](const ClassRow* each) {
        return each->recipes.front().carries.contains(port);
    });
    return row == between_.end() ? nullptr : *row;
}

std::pair<const ClassRow*, std::string> ClassChoice::loaderOf(const std::string& param,
                                                              const std::string& file) const {
    std::pair<const ClassRow*, std::string> usual;
    for (const ClassRow* row : loaders_) {
        const std::string input = inputOfFile(*row, param);
        const auto when = row->exported.when.find("file");
        if (input.empty()) {
            continue;
        }
        if (when == row->exported.when.end()) {
            usual = usual.first == nullptr ? std::pair(row, input) : usual;
        } else if (std::ranges::any_of(when->second, [&](const std::string& ending) {
                       return toLower(file).ends_with(ending);
                   })) {
            return {row, input};
        }
    }
    return usual;
}

bool ClassChoice::isTaken(const ClassRow& row, const std::string& param) {
    return specOf(row.recipes.front(), param) != nullptr || row.exported.takes.contains(param) ||
           std::ranges::any_of(row.exported.again,
                               [&](const auto& names) { return names.second == param; });
}

}  // namespace lowtide::interop
