#include "plugin/interop/carried.hpp"

#include "plugin/base/text.hpp"

namespace lowtide::interop {

namespace {

constexpr const char* kNegativePrompt = "negative";

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

}  // namespace lowtide::interop
