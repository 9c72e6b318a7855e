#include "plugin/checkpoints/adapters/module_names.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kWeightEnd = ".weight";
constexpr std::string_view kBiasEnd = ".bias";
constexpr std::string_view kTextWrapper = "text_model.";
/// Of a transformer, before the names of its modules.
constexpr std::string_view kPipelinesName = "transformer.";
/// The three parts of an attention that may come as one.
constexpr const char* kUNetParts[] = {".to_q", ".to_k", ".to_v"};
constexpr const char* kTextParts[] = {".q_proj", ".k_proj", ".v_proj"};

std::string mangled(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

std::string replacedEnd(const std::string& name, size_t end, std::string_view with) {
    return name.substr(0, name.size() - end) + std::string(with);
}

int64_t numberIn(std::string_view text) {
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// What LDM's numbers depend on; nothing for networks that LDM cannot number.
std::optional<LdmUNetLayout> ldmLayoutOf(const std::vector<ModuleNames::Module>& modules) {
    std::map<int64_t, int64_t> layers;
    LdmUNetLayout layout;
    for (const ModuleNames::Module& module : modules) {
        const std::vector<std::string> parts = split(module.name, '.');
        if (parts.size() < 4) {
            continue;
        }
        const int64_t block = numberIn(parts[1]);
        if (parts[0] == "down_blocks" && parts[2] == "resnets") {
            layers[block] = std::max(layers[block], numberIn(parts[3]) + 1);
        } else if (parts[0] == "up_blocks" && parts[2] == "attentions") {
            layout.attentionUpBlocks.insert(block);
        }
    }
    std::set<int64_t> counts;
    for (const auto& [block, count] : layers) {
        counts.insert(count);
    }
    if (counts.size() != 1) {
        return std::nullopt;
    }
    layout.layers = *counts.begin();
    return layout;
}

/// Of "q]", "3]": where a part of a matrix lies among the others.
size_t orderOfPart(std::string_view part) {
    const size_t letter = std::string_view("qkv").find(part.front());
    return letter != std::string_view::npos ? letter : static_cast<size_t>(numberIn(part));
}

/// The name of a module by one that names weights.
template <class NameOfWeight>
std::string renamedModule(const std::string& module, NameOfWeight&& nameOfWeight) {
    const std::string weight = nameOfWeight(module + std::string(kWeightEnd));
    return weight.ends_with(kWeightEnd) ? replacedEnd(weight, kWeightEnd.size(), "") : weight;
}

/// Those of the network: the factors of earlier adapters are none.
std::vector<memory::WeightId> ownWeights(const memory::ComponentTree& tree) {
    std::vector<memory::WeightId> own;
    for (const memory::Leaf& leaf : tree.leaves) {
        own.insert(own.end(), leaf.ownWeights().begin(), leaf.ownWeights().end());
    }
    return own;
}

}  // namespace

ModuleNames::ModuleNames(const memory::ComponentTree& tree) {
    for (const memory::WeightId id : ownWeights(tree)) {
        const std::string& name = tree.weights[id].name;
        const bool isBias = name.ends_with(kBiasEnd);
        if (!isBias && !name.ends_with(kWeightEnd)) {
            continue;
        }
        const std::string module = replacedEnd(name, (isBias ? kBiasEnd : kWeightEnd).size(), "");
        const auto [known, isNew] = byName_.emplace(module, modules_.size());
        if (isNew) {
            modules_.push_back({.name = module});
        }
        Module& own = modules_[known->second];
        (isBias ? own.bias : own.weight) = id;
    }
    if (tree.network == "UNet2DConditionModel") {
        addDiffusersUNet();
    } else if (tree.network.starts_with("CLIPTextModel")) {
        addText();
    } else {
        addTransformer();
        const Network* network = networkOf(tree.network);
        if (network && network->ownName) {
            addOwn(network->ownName);
        }
        if (network) {
            for (const auto& name : network->otherNames) {
                addOwn(name);
            }
        }
    }
}

void ModuleNames::addNames(const std::string& name, const Positions& positions) {
    for (const std::string& each : {name, mangled(name)}) {
        const auto [known, isNew] = positions_.emplace(each, positions);
        if (!isNew && known->second != positions) {
            shared_.emplace(each,
                            message("{} and {}",
                                    modules_[known->second.front()].name,
                                    modules_[positions.front()].name));
        }
    }
}

/// "<base>.to_qkv" for "<base>.to_q" and so on, from part `first` on.
void ModuleNames::addFused(const std::string& base,
                           const std::string& name,
                           const char* const (&parts)[3],
                           size_t first) {
    Positions positions;
    for (size_t i = first; i < 3; ++i) {
        const auto part = byName_.find(base + parts[i]);
        if (part == byName_.end()) {
            return;
        }
        positions.push_back(part->second);
    }
    addNames(name, positions);
}

void ModuleNames::addDiffusersUNet() {
    const std::optional<LdmUNetLayout> layout = ldmLayoutOf(modules_);
    for (size_t i = 0; i < modules_.size(); ++i) {
        const std::string& name = modules_[i].name;
        std::vector<std::string> names = {name};
        if (layout) {
            names.push_back(renamedModule(
                name, [&](const std::string& weight) { return ldmUNetName(weight, *layout); }));
        }
        for (const std::string& each : names) {
            addNames(each, {i});
        }
        const size_t attention = std::max(name.rfind(".attn1.") + 1, name.rfind(".attn2.") + 1);
        if (attention == 0) {
            continue;
        }
        // Attention processors owned the layers until diffusers 0.22, and called to_out.0 to_out.
        std::string ofProcessor = name;
        ofProcessor.insert(attention + 6, "processor.");
        addNames(ofProcessor, {i});
        if (name.ends_with(".to_out.0")) {
            addNames(replacedEnd(name, 2, ""), {i});
            addNames(replacedEnd(ofProcessor, 2, ""), {i});
        }
        if (name.ends_with(kUNetParts[0])) {
            const std::string base = replacedEnd(name, 5, "");
            const bool isSelf = base.ends_with("attn1");
            for (const std::string& each : names) {
                addFused(base,
                         replacedEnd(each, 5, isSelf ? ".to_qkv" : ".to_kv"),
                         kUNetParts,
                         isSelf ? 0 : 1);
            }
        }
    }
}

/// diffusers' names, bare or behind the pipeline's name of the network.
void ModuleNames::addTransformer() {
    for (size_t i = 0; i < modules_.size(); ++i) {
        addNames(modules_[i].name, {i});
        addNames(std::string(kPipelinesName) + modules_[i].name, {i});
    }
}

/// A family's own names, as ComfyUI and kohya's musubi-tuner have them, or others', bare or behind
/// the pipeline's name of the network; of parts of a matrix the name of the whole.
void ModuleNames::addOwn(std::string (*nameOfWeight)(std::string_view)) {
    const auto add = [&](const std::string& name, const Positions& positions) {
        addNames(name, positions);
        addNames(std::string(kPipelinesName) + name, positions);
    };
    std::map<std::string, std::map<size_t, size_t>> fused;  ///< indices by their order
    for (size_t i = 0; i < modules_.size(); ++i) {
        const std::string& module = modules_[i].name;
        const std::string weight = nameOfWeight(module + std::string(kWeightEnd));
        const size_t bracket = weight.ends_with(']') ? weight.rfind('[') : weight.npos;
        const std::string whole = weight.substr(0, bracket);
        if (bracket == weight.npos || !whole.ends_with(kWeightEnd)) {
            add(renamedModule(module, nameOfWeight), {i});
            continue;
        }
        fused[replacedEnd(whole, kWeightEnd.size(), "")].emplace(
            orderOfPart(std::string_view(weight).substr(bracket + 1)), i);
    }
    for (const auto& [name, parts] : fused) {
        Positions positions;
        for (const auto& [order, location] : parts) {
            positions.push_back(location);
        }
        add(name, positions);
    }
}

void ModuleNames::addText() {
    for (size_t i = 0; i < modules_.size(); ++i) {
        const std::string& name = modules_[i].name;
        const bool isWrapped = name.starts_with(kTextWrapper);
        const std::string bare = isWrapped ? name.substr(kTextWrapper.size()) : name;
        std::vector<std::string> names = {bare, std::string(kTextWrapper) + bare};
        for (const auto& [ours, theirs] : {std::pair(kTextParts[0], ".to_q"),
                                           std::pair(kTextParts[1], ".to_k"),
                                           std::pair(kTextParts[2], ".to_v"),
                                           std::pair(".out_proj", ".to_out")}) {
            if (bare.ends_with(ours)) {  // as diffusers' text encoders had them until 0.22
                for (size_t known = 0; known < 2; ++known) {
                    names.push_back(
                        replacedEnd(names[known], std::string_view(ours).size(), theirs));
                }
            }
        }
        const std::string openClip =
            renamedModule(name, [](const std::string& weight) { return openClipName(weight); });
        const size_t bracket = openClip.find('[');
        if (bracket == openClip.npos) {
            names.push_back(openClip);
        } else if (bare.ends_with(kTextParts[0])) {
            const std::string base = replacedEnd(name, std::string_view(kTextParts[0]).size(), "");
            constexpr std::string_view kFusedWeight = "_weight";
            const std::string fused = openClip.substr(0, bracket);
            addFused(base, fused, kTextParts, 0);
            addFused(base, replacedEnd(fused, kFusedWeight.size(), ""), kTextParts, 0);
        }
        for (const std::string& each : names) {
            addNames(each, {i});
        }
    }
}

std::vector<const ModuleNames::Module*> ModuleNames::find(std::string_view name) const {
    const std::string key(name);
    const auto shared = shared_.find(key);
    if (shared != shared_.end()) {
        throw Error(ErrorKind::Unsupported,
                    message("{} may be {} of this network", quotedName(name), shared->second),
                    message("choose an adapter whose names have dots"));
    }
    std::vector<const Module*> found;
    const auto positions = positions_.find(key);
    if (positions != positions_.end()) {
        for (const size_t location : positions->second) {
            found.push_back(&modules_[location]);
        }
    }
    return found;
}

}  // namespace lowtide::models
