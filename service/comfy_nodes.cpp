#include "service/comfy_nodes.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/image/image_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace lowtide::service {

namespace {

/// In which of ComfyUI's folders the files lie that a widget names, by the start of its name.
constexpr std::pair<std::string_view, std::string_view> kModelWidgets[] = {
    {"ckpt_name", "checkpoints"},
    {"unet_name", "diffusion_models"},
    {"vae_name", "vae"},
    {"clip_vision_name", "clip_vision"},
    {"clip_name", "text_encoders"},
    {"lora_name", "loras"},
    {"control_net_name", "controlnet"},
    {"ipadapter_file", "ipadapter"},
    {"model_name", "upscale_models"}};

/// Wires by the names that ComfyUI's classes give them; a name ends in one of these.
constexpr std::pair<std::string_view, std::string_view> kWireTypes[] = {
    {"clip_vision_output", "CLIP_VISION_OUTPUT"},
    {"clip_vision", "CLIP_VISION"},
    {"clip", "CLIP"},
    {"vae", "VAE"},
    {"model", "MODEL"},
    {"positive", "CONDITIONING"},
    {"negative", "CONDITIONING"},
    {"conditioning", "CONDITIONING"},
    {"latent_image", "LATENT"},
    {"latent", "LATENT"},
    {"samples", "LATENT"},
    {"mask", "MASK"},
    {"pixels", "IMAGE"},
    {"images", "IMAGE"},
    {"image", "IMAGE"},
    {"control_net", "CONTROL_NET"},
    {"style_model", "STYLE_MODEL"},
    {"upscale_model", "UPSCALE_MODEL"},
    {"sigmas", "SIGMAS"},
    {"sampler", "SAMPLER"},
    {"guider", "GUIDER"},
    {"noise", "NOISE"}};

std::string wireType(const std::string& input, const std::string& ours) {
    const auto found = std::ranges::find_if(kWireTypes, [&](const auto& type) {
        return input == type.first || input.ends_with("_" + std::string(type.first));
    });
    return found != std::end(kWireTypes) ? std::string(found->second) : ours.empty() ? "*" : ours;
}

/// The inputs of a class that take wires, with their types.
std::map<std::string, std::string> wiresOf(const interop::ClassRow& row,
                                           const graph::Catalog& catalog) {
    std::map<std::string, std::string> wires;
    const auto add = [&](const std::string& input, const std::string& ours) {
        if (!input.empty() && !input.starts_with('@') && !row.widget(input)) {
            wires.try_emplace(input, wireType(input, ours));
        }
    };
    for (const interop::Recipe& recipe : row.recipes) {
        for (const interop::RecipeNode& node : recipe.nodes) {
            const NodeDesc* const desc = catalog.find(node.type);
            for (const auto& [port, input] : node.inputs) {
                const PortDesc* const known = desc ? graph::findInput(*desc, port) : nullptr;
                add(input, known ? known->type : "");
            }
        }
        for (const std::string& input : recipe.through) {
            add(input, "");
        }
        for (const auto& [name, input] : recipe.carries) {
            add(input, "");
        }
    }
    return wires;
}

Json optionsOf(const ParamDesc& param) {
    Json options = Json::object();
    if (param.min) {
        options["min"] = *param.min;
    }
    if (param.max) {
        options["max"] = *param.max;
    }
    if (param.step) {
        options["step"] = *param.step;
    }
    if (param.multiline) {
        options["multiline"] = true;
    }
    return options;
}

/// Of a widget that nothing but its default is known of.
Json plainSpec(const Json& value) {
    const char* const type = value.is_boolean()          ? "BOOLEAN"
                             : value.is_number_integer() ? "INT"
                             : value.is_number()         ? "FLOAT"
                                                         : "STRING";
    Json options = Json::object();
    if (!value.is_null()) {
        options["default"] = value;
    }
    if (value.is_number()) {
        options["min"] = value.is_number_integer() ? Json(-(int64_t{1} << 31)) : Json(-1e9);
        options["max"] = value.is_number_integer() ? Json(int64_t{1} << 31) : Json(1e9);
    }
    return Json::array({type, options});
}

std::vector<std::string> keysOf(const Json& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map.items()) {
        keys.push_back(key);
    }
    return keys;
}

/// Why a value is not of a spec; null: it is.
Json numberError(const std::string& input, const Json& value, const Json& spec) {
    const Json& options = spec.at(1);
    const bool isNumber = value.is_number();
    const bool isSmall =
        isNumber && options.contains("min") && value.get<double>() < options["min"].get<double>();
    const bool isBig =
        isNumber && options.contains("max") && value.get<double>() > options["max"].get<double>();
    const bool isConverted = value.is_string() || value.is_boolean();  // as ComfyUI converts it
    if (!isSmall && !isBig && (isNumber || isConverted)) {
        return nullptr;
    }
    const std::string bound = isSmall || isBig ? options[isSmall ? "min" : "max"].dump() : "";
    return {
        {"type",
         isSmall ? "value_smaller_than_min"
         : isBig ? "value_bigger_than_max"
                 : "invalid_input_type"},
        {"message",
         isSmall ? "Value " + value.dump() + " smaller than min of " + bound
         : isBig
             ? "Value " + value.dump() + " bigger than max of " + bound
             : "Failed to convert an input value to a " + spec.at(0).get<std::string>() + " value"},
        {"details", input},
        {"extra_info", {{"input_name", input}, {"input_config", spec}, {"received_value", value}}}};
}

}  // namespace

ComfyNodes::ComfyNodes(const graph::Catalog& catalog,
                       const ServiceFolders& folders,
                       const std::string& resources)
    : catalog_(catalog), folders_(folders), table_(interop::readClassTable(resources)) {
    std::ifstream file(resources + "/interop/maps.json");
    maps_ = Json::parse(file, nullptr, false);
}

ComfyNodes::Choices ComfyNodes::choices() const {
    Choices choices{.models = modelNames(folders_), .images = {}};
    choices.models["checkpoints"].push_back("builtin:mini");
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folders_.input, failure), end;
         !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (image::hasImageName(name) && isValidUtf8(name)) {
            choices.images.push_back(name);
        }
    }
    std::ranges::sort(choices.images);
    return choices;
}

Json ComfyNodes::all() const {
    const Choices known = choices();
    Json records = Json::object();
    for (const auto& [name, row] : table_.rows()) {
        const bool isSent = row.virtualKind == interop::VirtualKind::None;
        if (isSent && (!row.recipes.empty() || !row.fold.empty())) {
            records[name] = described(row, known);
        }
    }
    return records;
}

Json ComfyNodes::one(const std::string& name) const {
    const Json records = all();
    return records.contains(name) ? Json{{name, records.at(name)}} : Json::object();
}

std::vector<Json> ComfyNodes::valueErrors(const std::string& name, const Json& node) const {
    std::vector<Json> errors;
    const interop::ClassRow* const row = table_.find(name);
    const Json inputs = node.value("inputs", Json::object());
    for (const interop::Widget& widget : row ? row->widgets : std::vector<interop::Widget>()) {
        if (!inputs.is_object() || !inputs.contains(widget.name) ||
            inputs[widget.name].is_array()) {
            continue;  // wired, or left out
        }
        const Json spec = widgetSpec(*row, widget, {});
        if (spec.at(0) == "INT" || spec.at(0) == "FLOAT") {
            Json error = numberError(widget.name, inputs[widget.name], spec);
            if (!error.is_null()) {
                errors.push_back(std::move(error));
            }
        }
    }
    return errors;
}

std::string ComfyNodes::inputOf(const std::string& name, const std::string& param) const {
    const interop::ClassRow* const row = table_.find(name);
    for (const interop::Recipe& recipe : row ? row->recipes : std::vector<interop::Recipe>()) {
        for (const interop::RecipeNode& node : recipe.nodes) {
            const auto from = node.params.find(param);
            if (from != node.params.end() && from->second.is_string()) {
                return from->second.get<std::string>();
            }
        }
    }
    return param;
}

Json ComfyNodes::described(const interop::ClassRow& row, const Choices& choices) const {
    Json required = Json::object();
    Json optional = Json::object();
    Json order = {{"required", Json::array()}, {"optional", Json::array()}};
    for (const auto& [input, type] : wiresOf(row, catalog_)) {
        required[input] = Json::array({type});
        order["required"].push_back(input);
    }
    for (const interop::Widget& widget : row.widgets) {
        if (!widget.name.starts_with('~')) {
            required[widget.name] = widgetSpec(row, widget, choices);
            order["required"].push_back(widget.name);
        }
    }
    const NodeDesc* const desc = row.recipes.empty() || row.recipes.front().nodes.empty()
                                     ? nullptr
                                     : catalog_.find(row.recipes.front().nodes.front().type);
    return {{"input", {{"required", required}, {"optional", optional}}},
            {"input_order", order},
            {"output", row.outputTypes},
            {"output_is_list", std::vector<bool>(row.outputTypes.size(), false)},
            {"output_name", row.outputTypes},
            {"name", row.name},
            {"display_name", row.name},
            {"description", desc ? desc->tooltip : ""},
            {"python_module", "nodes"},
            {"category", desc ? "lowtide/" + toLower(desc->category) : "lowtide"},
            {"output_node", desc && desc->output}};
}

Json ComfyNodes::widgetSpec(const interop::ClassRow& row,
                            const interop::Widget& widget,
                            const Choices& choices) const {
    const auto model = std::ranges::find_if(
        kModelWidgets, [&](const auto& known) { return widget.name.starts_with(known.first); });
    if (model != std::end(kModelWidgets)) {
        const auto names = choices.models.find(std::string(model->second));
        return Json::array(
            {names == choices.models.end() ? std::vector<std::string>() : names->second,
             Json::object()});
    }
    if (widget.name == "image" && row.name.starts_with("LoadImage")) {
        return Json::array({choices.images, {{"image_upload", true}}});
    }
    if (widget.name == "sampler_name" || widget.name == "scheduler") {
        const char* const map = widget.name == "scheduler" ? "schedules" : "samplers";
        return Json::array({keysOf(maps_.value(map, Json::object())), Json::object()});
    }
    Json spec = parameterSpec(row, widget);
    if (spec.is_null()) {
        spec = plainSpec(widget.defaultValue.value_or(Json()));
    }
    if (widget.name == "seed" || widget.name == "noise_seed") {
        spec = Json::array({"INT",
                            {{"default", 0},
                             {"min", 0},
                             {"max", std::numeric_limits<uint64_t>::max()},
                             {"control_after_generate", true}}});
    }
    return spec;
}

/// By our parameter that has the value of the widget as it stands, or by words; null: none has.
Json ComfyNodes::parameterSpec(const interop::ClassRow& row, const interop::Widget& widget) const {
    for (const interop::Recipe& recipe : row.recipes) {
        for (const interop::RecipeNode& node : recipe.nodes) {
            const NodeDesc* const desc = catalog_.find(node.type);
            for (const auto& [id, from] : node.params) {
                const ParamDesc* const param = desc ? graph::findParam(*desc, id) : nullptr;
                if (from.is_object() && from.value("from", Json()) == widget.name &&
                    from.contains("map")) {
                    const Json& map =
                        from.at("map").is_string()
                            ? maps_.value(from.at("map").get<std::string>(), Json::object())
                            : from.at("map");
                    return Json::array({keysOf(map), Json::object()});
                }
                if (!param || from != Json(widget.name)) {
                    continue;
                }
                if (param->kind == ParamKind::Choice) {
                    std::vector<std::string> ids;
                    for (const ChoiceDesc& choice : param->choices) {
                        ids.push_back(choice.id);
                    }
                    return Json::array({ids, Json::object()});
                }
                Json options = optionsOf(*param);
                options["default"] =
                    widget.defaultValue.value_or(graph::toJson(param->defaultValue));
                const char* const type = param->kind == ParamKind::Bool    ? "BOOLEAN"
                                         : param->kind == ParamKind::Int   ? "INT"
                                         : param->kind == ParamKind::Seed  ? "INT"
                                         : param->kind == ParamKind::Float ? "FLOAT"
                                                                           : "STRING";
                return Json::array({type, options});
            }
        }
    }
    return nullptr;
}

}  // namespace lowtide::service
