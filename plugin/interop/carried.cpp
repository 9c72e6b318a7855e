#include "plugin/interop/carried.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::interop {

namespace {

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

}  // namespace lowtide::interop
