#include "plugin/interop/recipe_values.hpp"

#include "plugin/base/text.hpp"
#include "plugin/interop/expression.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <cctype>

namespace lowtide::interop {

namespace {

/// Whether one of the node's values is the name of a file of such a family.
bool namesSkippingFamily(const PromptNode& node, const ClassTable& table) {
    return std::ranges::any_of(node.inputs, [&](const auto& entry) {
        const Json& value = entry.second.value;
        const FamilyRow* family =
            value.is_string() ? table.familyOf(value.template get<std::string>()) : nullptr;
        return family != nullptr && family->skipsLayer;
    });
}

bool isNameByte(char byte) {
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_';
}

bool specReads(const Json& spec, const std::string& name) {
    if (spec.is_string()) {
        return spec == name;
    }
    if (spec.is_array()) {
        return std::find(spec.begin(), spec.end(), name) != spec.end();
    }
    const std::string expression = textIn(spec, "expr");
    for (size_t at = expression.find(name); at != std::string::npos;
         at = expression.find(name, at + 1)) {
        const size_t end = at + name.size();
        const bool isWhole = (at == 0 || !isNameByte(expression[at - 1])) &&
                             (end == expression.size() || !isNameByte(expression[end]));
        if (isWhole) {
            return true;
        }
    }
    return textIn(spec, "from") == name;
}

/// Whether a value of the recipe is that of the input, or follows from it.
bool readsInput(const Recipe& recipe, const std::string& name) {
    const auto reads = [&](const std::map<std::string, Json>& specs) {
        return std::ranges::any_of(
            specs, [&](const auto& entry) { return specReads(entry.second, name); });
    };
    return std::ranges::any_of(recipe.nodes,
                               [&](const RecipeNode& node) { return reads(node.params); }) ||
           std::ranges::any_of(recipe.settings, reads) || reads(recipe.back) ||
           (recipe.apart && reads(recipe.apart->params));
}

/// The value of an input with which the recipe is exact; nothing: the row does not state it.
std::optional<Json> usualValue(const ClassRow& row, const std::string& name) {
    const auto exported = row.exported.values.find(name);
    if (exported != row.exported.values.end() && exported->second.contains("is")) {
        return std::optional<Json>(exported->second["is"]);
    }
    const Widget* widget = row.widget(name);
    return widget == nullptr ? std::nullopt : widget->defaultValue;
}

bool isOfEditor(const std::string& name) {
    return name.starts_with("control_after_generate") || name.find("upload") != std::string::npos;
}

constexpr const char* kNegativePrompt = "negative";
/// What rides on what an image encoder made: the image.
constexpr const char* kSeenImage = "seen";

/// The inputs on which that wire does not ride.
std::vector<std::string> inputsWithout(const CarriedInputs& prompts,
                                       const std::string& port,
                                       const CarriedWire& taken) {
    std::vector<std::string> names;
    for (const auto& [name, prompt] : prompts) {
        const auto wire = prompt.wires.find(port);
        const bool isLacking = wire == prompt.wires.end();
        if (isLacking ? !(taken.isSpread && name == kNegativePrompt)
                      : wire->second.from != taken.from) {
            names.push_back(name);
        }
    }
    return names;
}

bool readsWire(const Recipe& recipe, const std::string& name, const CarriedInputs& inputs) {
    const auto isIt = [&](const auto& entry) { return entry.second == name; };
    const bool isTaken = std::ranges::any_of(recipe.nodes, [&](const RecipeNode& node) {
        return std::ranges::any_of(node.inputs, isIt) || std::ranges::any_of(node.before, isIt);
    });
    const auto seen = recipe.sees.find(name);
    const bool isSeen = seen != recipe.sees.end() && inputs.contains(seen->second);
    return isTaken || isSeen || std::ranges::any_of(recipe.carries, isIt) ||
           std::ranges::find(recipe.through, name) != recipe.through.end() ||
           recipe.unread.contains(name);
}

}  // namespace

void mergeInto(Carried& target, const Carried& source) {
    target.settings.insert(source.settings.begin(), source.settings.end());
    target.wires.insert(source.wires.begin(), source.wires.end());
    target.isMissing = target.isMissing || source.isMissing;
}

Carried merged(const CarriedInputs& inputs) {
    Carried all;
    for (const bool isNegative : {false, true}) {
        for (const auto& [name, carried] : inputs) {
            if ((name == kNegativePrompt) == isNegative) {
                mergeInto(all, carried);
            }
        }
    }
    return all;
}

std::vector<Message> unevenPrompts(const CarriedInputs& prompts) {
    std::vector<Message> whys;
    const Carried all = merged(prompts);
    for (const auto& [port, taken] : all.wires) {
        const std::vector<std::string> without = inputsWithout(prompts, port, taken);
        if (without.empty()) {
            continue;
        }
        std::vector<std::string> names;
        for (const std::string& name : without) {
            names.push_back(quotedName(name));
        }
        whys.push_back(
            message("{} of node {} is given to all prompts, in ComfyUI not to that of {}",
                    quotedName(port),
                    quotedName(taken.from.node),
                    join(names, ", ")));
        for (const std::string& name : without) {
            const auto& wires = prompts.at(name).wires;
            if (const auto own = wires.find(port); own != wires.end()) {
                whys.push_back(message("in ComfyUI the prompt of {} has {} of node {} instead",
                                       quotedName(name),
                                       quotedName(port),
                                       quotedName(own->second.from.node)));
            }
        }
    }
    return whys;
}

std::vector<Message> differentlySeen(const Recipe& recipe,
                                     const CarriedInputs& inputs,
                                     bool hasImageEncoder) {
    std::vector<Message> whys;
    for (const auto& [name, image] : recipe.sees) {
        const auto made = inputs.find(name), shown = inputs.find(image);
        if (shown == inputs.end() || !shown->second.wire) {
            continue;  // the wire is unread
        }
        if (made == inputs.end()) {
            if (hasImageEncoder) {
                whys.push_back(message("the image encoder is given {}, in ComfyUI it is not",
                                       quotedName(image)));
            }
            continue;
        }
        const auto seen = made->second.wires.find(kSeenImage);
        if (seen == made->second.wires.end() || seen->second.from != *shown->second.wire) {
            whys.push_back(message("the image encoder is given {}, in ComfyUI another image",
                                   quotedName(image)));
        }
    }
    return whys;
}

std::vector<Message> strayMasks(const Recipe& recipe, const CarriedInputs& inputs) {
    constexpr const char* kMask = "mask";
    const bool takesLatent =
        !recipe.nodes.empty() && recipe.nodes.front().inputs.contains("latent");
    const Carried all = merged(inputs);
    if (!takesLatent || !all.wires.contains(kMask)) {
        return {};
    }
    const auto latent = inputs.find(recipe.nodes.front().inputs.at("latent"));
    if (latent != inputs.end() && latent->second.wires.contains(kMask)) {
        return {};
    }
    return {
        message("what the mask of node {} leaves out is kept, in ComfyUI it is not: its latent "
                "has no mask",
                quotedName(all.wires.at(kMask).from.node))};
}

std::vector<Message> unreadWires(const ClassRow& row,
                                 const Recipe& recipe,
                                 const CarriedInputs& inputs) {
    std::vector<Message> whys;
    const bool takesAll = recipe.nodes.empty() && recipe.through.empty();
    if (!recipe.near.empty() || takesAll) {
        return whys;
    }
    for (const auto& [name, carried] : inputs) {
        const bool isReported = carried.isMissing && !recipe.nodes.empty();
        if (carried.wire && !isReported && row.widget(name) == nullptr &&
            !readsWire(recipe, name, inputs)) {
            whys.push_back(message("{} is given by another node, and has no counterpart here",
                                   quotedName(name)));
        }
    }
    return whys;
}

std::optional<Json> RecipeValues::from(const Json& spec,
                                       const PromptNode& node,
                                       const std::map<std::string, Json>& carried) {
    if (spec.is_string()) {
        return inputValue(node, spec.get<std::string>());
    }
    if (spec.is_array()) {
        std::optional<Json> value;
        for (size_t i = 0; i < spec.size() && !value; ++i) {
            value = inputValue(node, spec[i].get<std::string>());
        }
        return value;
    }
    if (spec.contains("is")) {
        return std::optional<Json>(spec["is"]);
    }
    if (spec.contains("expr")) {
        return expressionValue(spec["expr"].get<std::string>(), node, carried);
    }
    const std::optional<Json> value = inputValue(node, spec.at("from").get<std::string>());
    return value ? mapped(spec, *value) : std::nullopt;
}

std::optional<Json> RecipeValues::mapped(const Json& spec, const Json& value) {
    const std::string word = wordOf(value);
    const Json& map = spec.at("map");
    if (map.contains(word)) {
        return std::optional<Json>(map[word]);
    }
    if (!spec.contains("else")) {
        whys_.push_back(message("{} is not known here, the default is taken", quotedName(word)));
        return std::nullopt;
    }
    whys_.push_back(message(
        "{} is not built, {} is taken", quotedName(word), quotedName(wordOf(spec["else"]))));
    return std::optional<Json>(spec["else"]);
}

std::optional<Json> RecipeValues::inputValue(const PromptNode& node, const std::string& name) {
    const auto input = node.inputs.find(name);
    if (input == node.inputs.end()) {
        return std::nullopt;
    }
    if (input->second.from) {
        whys_.push_back(
            message("the value of {} comes from node {} during a run; the default "
                    "is taken",
                    quotedName(name),
                    quotedName(input->second.from->node)));
        return std::nullopt;
    }
    const Json& value = input->second.value;
    return value.is_null() ? std::nullopt : std::optional<Json>(value);
}

std::optional<Json> RecipeValues::expressionValue(const std::string& expression,
                                                  const PromptNode& node,
                                                  const std::map<std::string, Json>& carried) {
    const auto start = carried.find("start_step");
    std::map<std::string, Json> values;
    values["skips_layer"] = skipsLayer();
    values["start_step"] = start == carried.end() ? Json(0) : start->second;
    for (const auto& [name, input] : node.inputs) {
        if (!input.from) {
            values[name] = input.value;
        }
    }
    addPixelSize(node, values);
    std::optional<Json> value = evaluate(expression, values);
    if (!value) {
        whys_.push_back(message("{} cannot be worked out before a run; the default is taken",
                                quotedName(expression)));
    }
    return value;
}

void RecipeValues::addPixelSize(const PromptNode& node, std::map<std::string, Json>& values) const {
    const auto image = node.inputs.find("image");
    if (image == node.inputs.end() || !image->second.from || !needs_.imageSize) {
        return;
    }
    const auto source = prompt_.nodes.find(image->second.from->node);
    if (source == prompt_.nodes.end() || source->second.type != "LoadImage") {
        return;
    }
    const auto name = source->second.inputs.find("image");
    const std::optional<PixelSize> size =
        name != source->second.inputs.end() && name->second.value.is_string()
            ? needs_.imageSize(name->second.value.get<std::string>())
            : std::nullopt;
    if (size) {
        values["image_width"] = size->widthPixels;
        values["image_height"] = size->heightPixels;
    }
}

bool RecipeValues::skipsLayer() {
    if (!skipsLayer_) {
        skipsLayer_ = std::ranges::any_of(prompt_.nodes, [&](const auto& entry) {
            const ClassRow* row = needs_.table.find(entry.second.type);
            return row != nullptr && row->role == ModelRole::Model &&
                   namesSkippingFamily(entry.second, needs_.table);
        });
    }
    return *skipsLayer_;
}

void RecipeValues::noteDifferences(const PromptNode& node,
                                   const ClassRow& row,
                                   const Recipe& recipe,
                                   const Json& params,
                                   const std::set<int>& slots) {
    noteNear(recipe.nearWith, params, slots);
    noteLacking(node, recipe);
    if (recipe.near.empty()) {
        noteUnread(node, row, recipe);
    }
}

void RecipeValues::noteNear(const std::vector<NearCase>& cases,
                            const Json& params,
                            const std::set<int>& slots) {
    const auto holds = [&](const NearCase& each) {
        return (!each.slot || slots.contains(*each.slot)) &&
               std::ranges::any_of(each.values, [&](const auto& entry) {
                   const Json& given = memberIn(params, entry.first.c_str());
                   return std::ranges::find(entry.second, given) != entry.second.end();
               });
    };
    for (const NearCase& each : cases) {
        if (holds(each)) {
            whys_.emplace_back(each.why);
        }
    }
}

/// Values that ComfyUI would refuse to run without.
void RecipeValues::noteLacking(const PromptNode& node, const Recipe& recipe) {
    for (const std::string& name : node.lacking) {
        if (!node.inputs.contains(name) && readsInput(recipe, name)) {
            whys_.push_back(
                message("the file gives {} no value; the default is taken", quotedName(name)));
        }
    }
}

/// Values that ComfyUI does something with and the recipe does not.
void RecipeValues::noteUnread(const PromptNode& node, const ClassRow& row, const Recipe& recipe) {
    for (const auto& [name, input] : node.inputs) {
        const bool isEmpty = !input.from && input.value.is_null();
        const bool isWidget = row.widget(name) != nullptr;
        const std::optional<Json> usual = usualValue(row, name);
        const bool isUsual = !input.from && usual && *usual == input.value;
        if (isEmpty || isUsual || isOfEditor(name) || readsInput(recipe, name) ||
            (isWidget ? !usual : input.from.has_value())) {
            continue;
        }
        whys_.push_back(input.from
                            ? message("{} is given by another node, and has no counterpart here",
                                      quotedName(name))
                            : message("{} is {}, and has no counterpart here",
                                      quotedName(name),
                                      quotedName(wordOf(input.value))));
    }
}

}  // namespace lowtide::interop
