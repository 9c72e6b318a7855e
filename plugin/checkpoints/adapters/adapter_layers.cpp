#include "plugin/checkpoints/adapters/adapter_layers.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace lowtide::models {

namespace {

const AdapterFactor* factorIn(const AdapterLayer& layer, std::string_view name) {
    const auto found = layer.factors.find(name);
    return found == layer.factors.end() ? nullptr : &found->second;
}

/// The size of an axis; of one that a factor lacks, 1.
int64_t sizeAlong(const AdapterFactor& factor, size_t axis) {
    return axis < factor.location.shape.size() ? factor.location.shape[axis] : 1;
}

[[noreturn]] void refusePair(const AdapterFactor& one,
                             const AdapterFactor& other,
                             const std::string& what) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {} {} and {} {} do not make one delta",
                        what,
                        quotedName(one.key),
                        toText(one.location.shape),
                        quotedName(other.key),
                        toText(other.location.shape)),
                message("get the file again"));
}

void requireSame(bool isSame,
                 const AdapterFactor& one,
                 const AdapterFactor& other,
                 const std::string& what) {
    if (!isSame) {
        refusePair(one, other, what);
    }
}

/// Whether every axis behind the second one is 1, or lacking.
bool isWithoutKernel(const AdapterFactor& factor) {
    const Shape& shape = factor.location.shape;
    return shape.size() < 2 ||
           std::all_of(shape.begin() + 2, shape.end(), [](int64_t size) { return size == 1; });
}

/// Product of a [outputs, r, 1, ...] and b [r, ...].
Shape productShape(const AdapterFactor& a, const AdapterFactor& b, const std::string& what) {
    const Shape& left = a.location.shape;
    const bool isMatrix = left.size() >= 2 && isWithoutKernel(a);
    requireSame(
        isMatrix && b.location.shape.size() >= 2 && left[1] == b.location.shape[0], a, b, what);
    Shape shape = b.location.shape;
    shape[0] = left[0];
    return shape;
}

/// Of a Tucker core [i, j, kernel] with one side [.., inputs] and `outputs` on the other.
Shape coreShape(const AdapterFactor& core,
                int64_t coreSide,
                int64_t outputs,
                const AdapterFactor& a,
                const AdapterFactor& b,
                const std::string& what) {
    const Shape& sides = core.location.shape;
    requireSame(sides.size() >= 2 && coreSide == sides[0] && isWithoutKernel(a), core, a, what);
    requireSame(sizeAlong(b, 0) == sides[1] && isWithoutKernel(b), core, b, what);
    Shape shape = core.location.shape;
    shape[0] = outputs;
    shape[1] = sizeAlong(b, 1);
    return shape;
}

/// Of w_a [outputs, r] and w_b [r, inputs], or with a core t, where w_a is [r, outputs].
Shape sideShape(const AdapterLayer& layer,
                const char* first,
                const char* second,
                const char* core,
                const std::string& what) {
    const AdapterFactor& a = *factorIn(layer, first);
    const AdapterFactor& b = *factorIn(layer, second);
    const AdapterFactor* const t = factorIn(layer, core);
    return t ? coreShape(*t, sizeAlong(a, 0), sizeAlong(a, 1), a, b, what)
             : productShape(a, b, what);
}

Shape lowRankShape(const AdapterLayer& layer, const std::string& what) {
    const AdapterFactor& up = *factorIn(layer, "up");
    const AdapterFactor& down = *factorIn(layer, "down");
    const AdapterFactor* const mid = factorIn(layer, "mid");
    return mid ? coreShape(*mid, sizeAlong(up, 1), sizeAlong(up, 0), up, down, what)
               : productShape(up, down, what);
}

Shape hadamardShape(const AdapterLayer& layer, const std::string& what) {
    Shape first = sideShape(layer, "w1_a", "w1_b", "t1", what);
    if (first != sideShape(layer, "w2_a", "w2_b", "t2", what)) {
        refusePair(*factorIn(layer, "w1_a"), *factorIn(layer, "w2_a"), what);
    }
    return first;
}

Shape kroneckerShape(const AdapterLayer& layer, const std::string& what) {
    const AdapterFactor* const w1 = factorIn(layer, "w1");
    const AdapterFactor* const w2 = factorIn(layer, "w2");
    const Shape first = w1 ? w1->location.shape : sideShape(layer, "w1_a", "w1_b", "", what);
    Shape shape = w2 ? w2->location.shape : sideShape(layer, "w2_a", "w2_b", "t2", what);
    const AdapterFactor& one = w1 ? *w1 : *factorIn(layer, "w1_a");
    const AdapterFactor& other = w2 ? *w2 : *factorIn(layer, "w2_a");
    requireSame(first.size() == 2 && shape.size() >= 2, one, other, what);
    for (const size_t axis : {size_t{0}, size_t{1}}) {
        requireSame(
            !__builtin_mul_overflow(shape[axis], first[axis], &shape[axis]), one, other, what);
    }
    return shape;
}

Shape withoutOnes(Shape shape) {
    while (!shape.empty() && shape.back() == 1) {
        shape.pop_back();
    }
    return shape;
}

/// The names of one of `sets`, of which a layer has anything, that it lacks.
void addMissing(const AdapterLayer& layer,
                std::initializer_list<std::vector<std::string>> sets,
                std::vector<std::string>& missing) {
    const auto lacks = [&](const std::string& name) { return !factorIn(layer, name); };
    const std::vector<std::string>* begun = sets.begin();
    for (const std::vector<std::string>& set : sets) {
        if (std::none_of(set.begin(), set.end(), lacks)) {
            return;
        }
        if (!std::all_of(set.begin(), set.end(), lacks)) {
            begun = &set;
        }
    }
    std::copy_if(begun->begin(), begun->end(), std::back_inserter(missing), lacks);
}

}  // namespace

std::vector<std::string> missingFactors(const AdapterLayer& layer) {
    std::vector<std::string> missing;
    const auto needs = [&](std::initializer_list<std::vector<std::string>> sets) {
        addMissing(layer, sets, missing);
    };
    if (layer.kind == "low_rank") {
        needs({{"up", "down"}});
    } else if (layer.kind == "hadamard") {
        needs({{"w1_a", "w1_b", "w2_a", "w2_b"}});
        if (factorIn(layer, "t1") || factorIn(layer, "t2")) {
            needs({{"t1", "t2"}});
        }
    } else if (layer.kind == "kronecker") {
        needs({{"w1"}, {"w1_a", "w1_b"}});
        if (factorIn(layer, "t2")) {
            needs({{"w2_a", "w2_b"}});
        } else {
            needs({{"w2"}, {"w2_a", "w2_b"}});
        }
    } else if (layer.kind.empty()) {
        needs({{"up", "down"}});
    }
    return missing;
}

std::optional<int64_t> rankOf(const AdapterLayer& layer) {
    // LoHa is divided by the rank of its first product, LoKr by that of its second where it has
    // two.
    const char* const other = layer.kind == "hadamard" ? "w1_b" : "w2_b";
    for (const char* name : {"down", other, "w1_b"}) {
        const AdapterFactor* const factor = factorIn(layer, name);
        if (factor && !factor->location.shape.empty()) {
            return factor->location.shape[0];
        }
    }
    return std::nullopt;
}

Shape deltaShapeOf(const AdapterLayer& layer, const std::string& what) {
    if (layer.kind == "low_rank") {
        return lowRankShape(layer, what);
    }
    if (layer.kind == "hadamard") {
        return hadamardShape(layer, what);
    }
    if (layer.kind == "kronecker") {
        return kroneckerShape(layer, what);
    }
    const AdapterFactor& only = layer.factors.begin()->second;
    if (only.location.shape.empty()) {
        throw Error(
            ErrorKind::Corrupt,
            message("{}: {} is one number, not a change of a weight", what, quotedName(only.key)),
            message("get the file again"));
    }
    return only.location.shape;
}

bool fitsWeight(const AdapterLayer& layer, const Shape& change, const Shape& weight) {
    if (layer.kind == "scale") {
        const size_t axis = layer.factors.contains("on_input") ? 1 : 0;
        return axis < weight.size() && elementCount(change) == weight[axis];
    }
    const bool isFlat = change.size() == 2 && !weight.empty() && change[0] == weight[0];
    return withoutOnes(change) == withoutOnes(weight) ||
           (isFlat && elementCount(change) == elementCount(weight));
}

bool areOutputLengths(const Shape& lengths, const Shape& weight) {
    return !weight.empty() && !lengths.empty() && elementCount(lengths) == weight[0] &&
           lengths[0] == weight[0];
}

bool doraFits(const AdapterLayer& layer, const Shape& weight) {
    const auto isOneForEach = [&](const AdapterFactor& lengths, size_t axis) {
        return axis < weight.size() && elementCount(lengths.location.shape) == weight[axis];
    };
    const AdapterFactor* const scale = factorIn(layer, "dora_scale");
    const AdapterFactor* const magnitude = factorIn(layer, "magnitude");
    return (!scale || areOutputLengths(scale->location.shape, weight) || isOneForEach(*scale, 1)) &&
           (!magnitude || isOneForEach(*magnitude, 0));
}

namespace {

constexpr std::string_view kDoraFactors[] = {"dora_scale", "magnitude"};

bool isDoraFactor(std::string_view name) {
    return std::find(std::begin(kDoraFactors), std::end(kDoraFactors), name) !=
           std::end(kDoraFactors);
}

[[noreturn]] void refuseKeys(const WeightMap& map,
                             const std::string& one,
                             const std::string& other,
                             const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {} and {} {}", map.what, quotedName(one), quotedName(other), problem),
                message("get the file again, or save it with one delta for each layer"));
}

}  // namespace

LayerGroups::LayerGroups(const WeightMap& map) : map_(map) {
    for (const auto& [key, location] : map.tensors) {
        if (const std::optional<Phrase> unbuilt = unbuiltAdapterKind(key)) {
            throw Error(
                ErrorKind::Unsupported,
                message("{}: {} is of {}, which is not built", map.what, quotedName(key), *unbuilt),
                message("choose an adapter of LoRA, LoCon, LoHa, LoKr, DoRA, (IA)3 or full "
                        "differences"));
        }
        if (std::optional<AdapterKey> parsed = parseAdapterKey(key)) {
            add(key, location, std::move(*parsed));
        } else {
            unread_.push_back(key);
        }
    }
}

void LayerGroups::add(const std::string& key, const TensorLocation& location, AdapterKey&& parsed) {
    AdapterLayer& layer = groups_[std::tuple(parsed.component, parsed.module, parsed.isBias)];
    if (layer.name.empty()) {
        layer.name = parsed.layer;
        layer.component = parsed.component;
        layer.module = parsed.module;
        layer.isBias = parsed.isBias;
    }
    if (parsed.part == AdapterKey::Part::Factor) {
        addFactor(layer, {key, location}, parsed);
        return;
    }
    std::string& known = parsed.part == AdapterKey::Part::Alpha ? layer.alphaKey : layer.onInputKey;
    if (!known.empty()) {
        refuseKeys(map_, known, key, message("are of one layer in two spellings"));
    }
    known = key;
}

void LayerGroups::addFactor(AdapterLayer& layer, AdapterFactor factor, const AdapterKey& parsed) {
    const auto [known, isNew] = layer.factors.emplace(parsed.factor, factor);
    if (!isNew) {
        refuseKeys(map_, known->second.key, factor.key, message("are one part of one layer"));
    }
    if (parsed.kind.empty()) {
        return;
    }
    if (!layer.kind.empty() && layer.kind != parsed.kind) {
        const auto other =
            std::find_if(layer.factors.begin(), layer.factors.end(), [&](const auto& each) {
                return each.second.key != factor.key && !isDoraFactor(each.first);
            });
        refuseKeys(map_, other->second.key, factor.key, message("change one layer in two ways"));
    }
    layer.kind = parsed.kind;
}

void LayerGroups::checkFactor(const AdapterFactor& factor) const {
    const TensorLocation& location = factor.location;
    const std::string key = quotedName(factor.key);
    if (!isFloating(location.type)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, {}: has the type {}", map_.what, key, nameOf(location.type)),
                    message("get the file again"));
    }
    if (!location.isRowMajor) {
        throw Error(ErrorKind::Unsupported,
                    message("{}, {}: is not stored row by row", map_.what, key),
                    message("save the adapter as a safetensors file"));
    }
    if (elementCount(location.shape).value_or(0) == 0) {
        throw Error(
            ErrorKind::Corrupt,
            message("{}, {}: is {}, a change of rank 0", map_.what, key, toText(location.shape)),
            message("get the file again"));
    }
}

/// Of a layer whose factors are there: what alphas are divided by, DoRA where it can be.
void LayerGroups::settle(AdapterLayer& layer) {
    for (const auto& [name, factor] : layer.factors) {
        checkFactor(factor);
        const bool isAdded = layer.kind != "scale" && layer.kind != "difference";
        if (isDoraFactor(name) && !isAdded) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: {} is DoRA of a layer of kind {}",
                                map_.what,
                                quotedName(factor.key),
                                layer.kind),
                        message("choose another adapter"));
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
    (void)deltaShapeOf(layer, map_.what);
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
        incomplete_.push_back(
            message("{} without {}", layer.factors.begin()->second.key, missing.front()));
        return;
    }
    settle(layer);
    layers.push_back(std::move(layer));
}

void LayerGroups::throwIfIncomplete() const {
    if (!incomplete_.empty()) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} of {} layers are incomplete: {}",
                            map_.what,
                            incomplete_.size(),
                            groups_.size(),
                            listSome(incomplete_)),
                    message("get the file again"));
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
