#include "plugin/checkpoints/adapters/layer_groups.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/layer_parts.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kDoraFactors[] = {"dora_scale", "magnitude"};

bool isDoraFactor(std::string_view name) {
    return std::find(std::begin(kDoraFactors), std::end(kDoraFactors), name) !=
           std::end(kDoraFactors);
}

[[noreturn]] void refuseKeys(const WeightMap& map,
                             const std::string& one,
                             const std::string& other,
                             const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                map.what + ": " + quotedName(one) + " and " + quotedName(other) + " " + problem,
                "get the file again, or save it with one change for each layer");
}

}  // namespace

LayerGroups::LayerGroups(const WeightMap& map) : map_(map) {
    for (const auto& [key, place] : map.tensors) {
        const std::string_view unbuilt = unbuiltAdapterKind(key);
        if (!unbuilt.empty()) {
            throw Error(ErrorKind::Unsupported,
                        map.what + ": " + quotedName(key) + " is of " + std::string(unbuilt) +
                            ", which is not built",
                        "choose an adapter of LoRA, LoCon, LoHa, LoKr, DoRA, (IA)3 or full "
                        "differences");
        }
        if (std::optional<AdapterKey> parsed = parseAdapterKey(key)) {
            add(key, place, std::move(*parsed));
        } else {
            unread_.push_back(key);
        }
    }
}

void LayerGroups::add(const std::string& key, const TensorPlace& place, AdapterKey&& parsed) {
    AdapterLayer& layer = groups_[std::tuple(parsed.component, parsed.module, parsed.isBias)];
    if (layer.name.empty()) {
        layer.name = parsed.layer;
        layer.component = parsed.component;
        layer.module = parsed.module;
        layer.isBias = parsed.isBias;
    }
    if (parsed.part == AdapterKey::Part::Factor) {
        addFactor(layer, {key, place}, parsed);
        return;
    }
    std::string& known = parsed.part == AdapterKey::Part::Alpha ? layer.alphaKey : layer.onInputKey;
    if (!known.empty()) {
        refuseKeys(map_, known, key, "are of one layer in two spellings");
    }
    known = key;
}

void LayerGroups::addFactor(AdapterLayer& layer, AdapterFactor factor, const AdapterKey& parsed) {
    const auto [known, isNew] = layer.factors.emplace(parsed.factor, factor);
    if (!isNew) {
        refuseKeys(map_, known->second.key, factor.key, "are one part of one layer");
    }
    if (parsed.kind.empty()) {
        return;
    }
    if (!layer.kind.empty() && layer.kind != parsed.kind) {
        const auto other =
            std::find_if(layer.factors.begin(), layer.factors.end(), [&](const auto& each) {
                return each.second.key != factor.key && !isDoraFactor(each.first);
            });
        refuseKeys(map_, other->second.key, factor.key, "change one layer in two ways");
    }
    layer.kind = parsed.kind;
}

void LayerGroups::checkFactor(const AdapterFactor& factor) const {
    const TensorPlace& place = factor.place;
    const auto subject = [&] { return map_.what + ", " + quotedName(factor.key) + ": "; };
    if (!isFloating(place.type)) {
        throw Error(ErrorKind::Corrupt,
                    subject() + "has the type " + std::string(nameOf(place.type)),
                    "get the file again");
    }
    if (!place.isRowMajor) {
        throw Error(ErrorKind::Unsupported,
                    subject() + "is not stored row by row",
                    "save the adapter as a safetensors file");
    }
    if (elementCount(place.shape).value_or(0) == 0) {
        throw Error(ErrorKind::Corrupt,
                    subject() + "is " + toText(place.shape) + ", a change of rank 0",
                    "get the file again");
    }
}

/// Of a layer whose factors are there: what alphas are divided by, DoRA where it can be.
void LayerGroups::settle(AdapterLayer& layer) {
    for (const auto& [name, factor] : layer.factors) {
        checkFactor(factor);
        const bool isAdded = layer.kind != "scale" && layer.kind != "difference";
        if (isDoraFactor(name) && !isAdded) {
            throw Error(ErrorKind::Unsupported,
                        map_.what + ": " + quotedName(factor.key) + " is DoRA of a layer of kind " +
                            layer.kind,
                        "choose another adapter");
        }
    }
    layer.rank = rankOf(layer);
    layer.divisor = static_cast<double>(layer.rank.value_or(1));
    if (!layer.rank && !layer.alphaKey.empty()) {
        // Kronecker products of whole matrices carry one that nothing is made of.
        if (layer.kind != "kronecker") {
            unread_.push_back(layer.alphaKey);
        }
        layer.alphaKey.clear();
    }
    if (!layer.onInputKey.empty() && layer.kind != "scale") {
        unread_.push_back(std::exchange(layer.onInputKey, {}));
    }
    (void)changeShapeOf(layer, map_.what);
}

/// The keys of what is no layer after all.
void LayerGroups::leave(const AdapterLayer& layer) {
    for (const auto& [name, factor] : layer.factors) {
        unread_.push_back(factor.key);
    }
    for (const std::string* key : {&layer.alphaKey, &layer.onInputKey}) {
        if (!key->empty()) {
            unread_.push_back(*key);
        }
    }
}

void LayerGroups::complete(AdapterLayer layer, std::vector<AdapterLayer>& layers) {
    const bool isScaleWithoutFlag = layer.kind == "scale" && layer.onInputKey.empty();
    if (layer.factors.empty() || isScaleWithoutFlag) {
        leave(layer);
        return;
    }
    const std::vector<std::string> missing = missingFactors(layer);
    if (!missing.empty()) {
        incomplete_.push_back(layer.factors.begin()->second.key + " without " + missing.front());
        return;
    }
    settle(layer);
    layers.push_back(std::move(layer));
}

void LayerGroups::throwIfIncomplete() const {
    if (!incomplete_.empty()) {
        throw Error(ErrorKind::Corrupt,
                    map_.what + ": " + std::to_string(incomplete_.size()) + " of " +
                        std::to_string(groups_.size()) +
                        " layers are incomplete: " + listSome(incomplete_),
                    "get the file again");
    }
}

std::vector<AdapterLayer> LayerGroups::takeLayers(std::vector<std::string>& unread) {
    std::vector<AdapterLayer> layers;
    for (const auto& [key, layer] : groups_) {
        complete(layer, layers);
    }
    throwIfIncomplete();
    std::sort(unread_.begin(), unread_.end());
    unread = std::move(unread_);
    return layers;
}

}  // namespace lowtide::models
