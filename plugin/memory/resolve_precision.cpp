#include "plugin/memory/resolve_precision.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <array>

namespace lowtide::memory {

namespace {

std::vector<std::string> quantisedAs(const ComponentTree& tree) {
    std::vector<std::string> names;
    for (const FileType& each : fileTypesOf(tree)) {
        if (isQuantised(each)) {
            names.push_back(each.encoding.empty() ? shortNameOf(each.type) : each.encoding);
        }
    }
    return names;
}

Bytes bytesOf(const ComponentTree& tree, const ComponentPrecision& precision) {
    return inPrecision(tree, precision).deviceBytes();
}

void addDecoded(const ComponentTree& tree,
                const ComponentPrecision& precision,
                std::vector<Message>& notes) {
    const std::vector<std::string> names = quantisedAs(tree);
    const bool isRounded = !precision.storesAsInFile && precision.storage == DType::F8E4M3;
    if (names.empty() || isRounded) {
        return;
    }
    ComponentPrecision asInFile = precision;
    asInFile.storesAsInFile = true;
    ComponentPrecision decoded = precision;
    if (precision.storesAsInFile) {
        decoded.storesAsInFile = decoded.keepsQuantised = false;
        decoded.storage = precision.compute;
    }
    const Message way =
        precision.storesAsInFile
            ? message("remains so and is decoded at every use; storage={} decodes it once",
                      shortNameOf(decoded.storage))
            : message("is decoded once; storage=file leaves it as it is");
    notes.push_back(message(
        "the file has the {} as {}, which {}, with the same bits (decoded: {}; as in the file: {})",
        precision.role,
        join(names, " and "),
        way,
        formatBytes(bytesOf(tree, decoded)),
        formatBytes(bytesOf(tree, asInFile))));
}

void addWidened(const ComponentTree& tree,
                const ComponentPrecision& precision,
                std::vector<Message>& notes) {
    if (tree.deltas.empty()) {
        return;
    }
    const ComponentTree typed = inPrecision(tree, precision);
    Bytes more = 0;
    for (StorageId storage = 0; storage < typed.storages.size(); ++storage) {
        if (typed.storages[storage].uploadType) {
            more += uploadBytes(typed, storage) - typed.deviceBytes(storage);
        }
    }
    if (more > 0) {
        notes.push_back(
            message("weights of the {} that adapters change come with every value of their file: "
                    "where they "
                    "stream instead of being kept, {} more",
                    precision.role,
                    formatBytes(more)));
    }
}

}  // namespace

std::vector<Message> storageNotes(const ComponentTree& tree, const ComponentPrecision& precision) {
    std::vector<Message> notes;
    addDecoded(tree, precision, notes);
    addWidened(tree, precision, notes);
    return notes;
}

namespace {

/// What the presets make of a switch where a component may have it on.
struct SwitchPreset {
    bool quality;
    bool balanced;
    bool speed;

    [[nodiscard]] bool of(std::string_view preset) const {
        return preset == "quality" ? quality : preset == "speed" ? speed : balanced;
    }
};

/// In the order of NumericSwitch. Half accumulation: the family's word too.
constexpr std::array<SwitchPreset, kNumericSwitchCount> kSwitchPresets = {{
    {false, false, true},  // matmul half accumulation
    {false, false, true},  // convolution half accumulation
    {false, true, true},   // split-K
    {false, false, true},  // tf32 matmul
    {false, true, true},   // tf32 convolution
    {false, false, true},  // cudnn benchmark
    {true, true, false},   // cudnn deterministic
    {true, true, true},    // flash
    {false, false, true},  // flash 3
    {true, true, true},    // memory efficient
    {false, true, true},   // cudnn
    {true, true, true},    // math
    {false, false, true},  // math half reduction
}};

/// Switches that change the numbers away from those of f32, or from run to run.
constexpr NumericSwitch kLossySwitches[] = {NumericSwitch::MatmulHalfAccumulation,
                                            NumericSwitch::ConvolutionHalfAccumulation,
                                            NumericSwitch::SplitKReduction,
                                            NumericSwitch::Tf32Matmul,
                                            NumericSwitch::Tf32Convolution,
                                            NumericSwitch::CudnnBenchmark,
                                            NumericSwitch::AttentionMathHalfReduction};

bool isHalf(DType type) {
    return type == DType::F16 || type == DType::BF16;
}

bool isByte(DType type) {
    return type == DType::F8E4M3 || type == DType::F8E5M2;
}

/// Whether `type` has every value of the file's. f64 is f32 for us, as for the reference.
bool holds(DType type, DType fileType) {
    return type == DType::F32 || type == fileType || (isHalf(type) && isByte(fileType));
}

bool contains(std::string_view name, const std::vector<std::string>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
        return name.find(part) != std::string_view::npos;
    });
}

template <typename Map>
auto valueOr(const Map& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type() : found->second;
}

const std::map<std::string, ComponentPreset>& presetOf(const FamilyPrecision& family,
                                                       const std::string& name) {
    const auto found = family.presets.find(name);
    if (found == family.presets.end()) {
        std::vector<std::string> known;
        for (const auto& [preset, components] : family.presets) {
            known.push_back(preset);
        }
        throw Error(ErrorKind::InvalidInput,
                    message("the family states no precision preset {}", quotedName(name)),
                    message("choose {}", listSome(known)),
                    "precision");
    }
    return found->second;
}

DType computeOfFile(const std::set<FileType>& fileTypes) {
    const bool isAllHalf =
        !fileTypes.empty() && std::all_of(fileTypes.begin(),
                                          fileTypes.end(),
                                          [](const FileType& each) { return isHalf(each.type); });
    return isAllHalf ? fileTypes.begin()->type : DType::F32;
}

bool isAnyQuantised(const std::set<FileType>& fileTypes) {
    return std::any_of(fileTypes.begin(), fileTypes.end(), isQuantised);
}

bool gainsFrom(DType type, const NumericTraits& device) {
    return type == DType::BF16 ? device.gainsFromBf16 : device.gainsFromF16;
}

/// The preset's types on this device: f32 where it gains nothing from less.
PrecisionTypes presetTypes(const ComponentPreset& preset,
                           const NumericTraits& device,
                           const FileTypes& fileTypes) {
    if (!device.gainsFromF16) {
        return {.storage = DType::F32, .compute = DType::F32};
    }
    const DType wanted = preset.compute ? *preset.compute : computeOfFile(fileTypes());
    if (wanted != DType::F32 && !gainsFrom(wanted, device)) {
        return {.storage = DType::F32, .compute = DType::F32};
    }
    if (preset.storesAsInFile) {
        return {.storage = {}, .storesAsInFile = true, .compute = wanted};
    }
    return {.storage = preset.storage, .compute = wanted};
}

bool isApplicable(NumericSwitch numericSwitch,
                  const ComponentPrecision& precision,
                  const NumericTraits& device) {
    const bool isHalfCompute = isHalf(precision.compute);
    const bool hasF32 = !isHalfCompute || precision.checksFinite || !precision.keptF32.empty();
    switch (numericSwitch) {
        case NumericSwitch::MatmulHalfAccumulation:
            return device.isCuda && precision.compute == DType::F16;
        case NumericSwitch::ConvolutionHalfAccumulation:
            return device.sumsConvolutionsInHalf && precision.compute == DType::F16;
        case NumericSwitch::SplitKReduction:
        case NumericSwitch::AttentionCudnn:
            return device.isCuda && isHalfCompute;
        case NumericSwitch::Tf32Matmul:
        case NumericSwitch::Tf32Convolution:
            return device.hasTf32 && hasF32;
        case NumericSwitch::CudnnBenchmark:
        case NumericSwitch::CudnnDeterministic:
        case NumericSwitch::AttentionMemoryEfficient:
            return device.isCuda;
        case NumericSwitch::AttentionFlash:
            return !device.isCuda || isHalfCompute;
        case NumericSwitch::AttentionFlash3:
            return device.hasFlash3 && isHalfCompute;
        case NumericSwitch::AttentionMath:
            return true;
        case NumericSwitch::AttentionMathHalfReduction:
            return isHalfCompute;
    }
    return false;
}

bool isOn(NumericSwitch numericSwitch,
          const PrecisionChoice& choice,
          const ComponentPreset& preset) {
    const auto asked = choice.switches.find(numericSwitch);
    if (asked != choice.switches.end()) {
        return asked->second;
    }
    const bool sums = numericSwitch == NumericSwitch::MatmulHalfAccumulation ||
                      numericSwitch == NumericSwitch::ConvolutionHalfAccumulation;
    return kSwitchPresets[static_cast<size_t>(numericSwitch)].of(choice.preset) &&
           (!sums || preset.accumulatesInHalf);
}

/// The file's types of which the storage does not have every value.
std::vector<std::string> roundedTypes(const ComponentPrecision& precision,
                                      const FileTypes& fileTypes) {
    std::vector<std::string> rounded;
    if (precision.storesAsInFile || precision.storage == DType::F32) {
        return rounded;
    }
    const std::set<FileType> types = fileTypes();
    if (precision.keepsQuantised && isAnyQuantised(types)) {
        return rounded;
    }
    for (const FileType& each : types) {
        if (!holds(precision.storage, each.type)) {
            rounded.push_back(each.encoding.empty() ? shortNameOf(each.type) : each.encoding);
        }
    }
    return rounded;
}

std::vector<Message> lossesOf(const ComponentPrecision& precision, const FileTypes& fileTypes) {
    std::vector<Message> losses;
    if (const auto rounded = roundedTypes(precision, fileTypes); !rounded.empty()) {
        losses.push_back(message("the weights of the {} are stored as {}, its file has {}",
                                 precision.role,
                                 shortNameOf(precision.storage),
                                 join(rounded, " and ")));
    }
    if (precision.compute != DType::F32) {
        losses.push_back(
            message("the {} computes in {}", precision.role, shortNameOf(precision.compute)));
    }
    for (const NumericSwitch numericSwitch : kLossySwitches) {
        if (precision.stateOf(numericSwitch) == SwitchState::On) {
            losses.push_back(message("{} is on: {}", nameOf(numericSwitch), costOf(numericSwitch)));
        }
    }
    return losses;
}

/// How one storage lies on a device.
struct StoredAs {
    DType type;
    int64_t scaleCount = 0;
    bool isKeptEncoded = false;
};

DType asInFile(DType fileType) {
    return fileType == DType::F64 ? DType::F32 : fileType;
}

StoredAs storedAs(const Storage& storage,
                  const Weight& weight,
                  std::string_view leaf,
                  const ComponentPrecision& precision) {
    const bool isKept = contains(leaf, precision.keptF32);
    if (storage.encoded && precision.storesAsInFile) {
        return {.type = isKept ? DType::F32 : precision.compute,
                .isKeptEncoded = !storage.mustBeFinite};
    }
    if (precision.storesAsInFile || isKept) {
        return {asInFile(storage.fileType)};
    }
    if (precision.storage != DType::F8E4M3) {
        return {precision.storage};
    }
    // Scales belong to rows as they are stored; those of a transposed matrix are no outputs.
    const bool isMatrix =
        weight.shape.size() > 1 && !weight.isTransposed && !contains(leaf, precision.keptFromF8);
    if (!isMatrix || storage.fileType == DType::F8E4M3) {
        return {asInFile(storage.fileType)};
    }
    return {DType::F8E4M3, weight.shape.front()};
}

/// Whether products take the weight in 16 bits: not where deltas are added, whose sum has more.
bool isMultipliedInHalf(const Storage& storage,
                        const Weight& weight,
                        const ComponentPrecision& precision) {
    return precision.multipliesHalves && precision.compute == DType::F32 && weight.isMultiplied &&
           !storage.encoded && isHalf(storage.fileType);
}

/// A changed weight is made from all that its file has, and rounded once: where it lies decoded it
/// comes so.
std::optional<DType> adaptedUpload(const Storage& storage) {
    const bool isMadeAtLease =
        deltasAtLease(storage) || holds(*storage.deviceType, storage.fileType);
    return isMadeAtLease ? std::nullopt : std::optional(asInFile(storage.fileType));
}

std::vector<bool> adaptedStorages(const ComponentTree& tree) {
    std::vector<bool> isChanged(tree.storages.size(), false);
    for (const WeightDelta& delta : tree.deltas) {
        isChanged[tree.weights[delta.weight].storage] = true;
    }
    return isChanged;
}

}  // namespace

NumericTraits NumericTraits::ofCuda(int capability) {
    constexpr int kHalfProducts = 70;
    constexpr int kAmpere = 80;
    constexpr int kHopper = 90;
    return {.isCuda = true,
            .gainsFromF16 = capability >= kHalfProducts,
            .gainsFromBf16 = capability >= kAmpere,
            .hasTf32 = capability >= kAmpere,
            .hasFlash3 = capability == kHopper};
}

bool isQuantised(const FileType& type) {
    return !type.encoding.empty() || isByte(type.type);
}

std::set<FileType> fileTypesOf(const ComponentTree& tree) {
    std::set<FileType> types;
    for (const Leaf& leaf : tree.leaves) {
        for (const WeightId weight : leaf.ownWeights()) {
            if (!leaf.gathered) {
                const Storage& storage = tree.storages[tree.weights[weight].storage];
                types.emplace(storage.fileType,
                              storage.encoded ? storage.encoded->encoding : std::string());
            }
        }
    }
    return types;
}

ComponentPrecision resolvePrecision(const PrecisionChoice& choice,
                                    const FamilyPrecision& family,
                                    const std::string& role,
                                    const NumericTraits& device,
                                    const FileTypes& fileTypes) {
    const ComponentPreset preset = valueOr(presetOf(family, choice.preset), role);
    const PrecisionTypes stated = presetTypes(preset, device, fileTypes);
    const PrecisionTypes asked = choice.typesOf(role);
    const bool isStorageAsked = asked.storage || asked.storesAsInFile;
    const PrecisionTypes& stored = isStorageAsked ? asked : stated;
    ComponentPrecision precision{.preset = choice.preset,
                                 .role = role,
                                 .storage = stored.storage.value_or(DType::F32),
                                 .storesAsInFile = stored.storesAsInFile,
                                 .keepsQuantised = !isStorageAsked && !stored.storesAsInFile,
                                 .compute = asked.compute.value_or(*stated.compute),
                                 .multipliesHalves = device.multipliesHalves};
    const bool isHalfCompute = precision.compute != DType::F32;
    precision.keptF32 = !choice.keptF32.empty() ? choice.keptF32
                        : isHalfCompute         ? valueOr(family.keptF32, role)
                                                : std::vector<std::string>();
    precision.keptFromF8 = valueOr(family.keptFromF8, role);
    precision.checksFinite = isHalfCompute && family.mayOverflow.contains(role);
    for (size_t i = 0; i < kNumericSwitchCount; ++i) {
        const auto numericSwitch = static_cast<NumericSwitch>(i);
        precision.switches[i] = !isApplicable(numericSwitch, precision, device)
                                    ? SwitchState::NotApplicable
                                : isOn(numericSwitch, choice, preset) ? SwitchState::On
                                                                      : SwitchState::Off;
    }
    precision.lossy = lossesOf(precision, fileTypes);
    for (const PrecisionNote& note : family.notes) {
        if (note.role == role && note.applies(precision, device)) {
            precision.notes.push_back(note.sentence);
        }
    }
    return precision;
}

ComponentPrecision settled(const ComponentPrecision& precision, const ComponentTree& tree) {
    ComponentPrecision known = precision;
    known.storesAsInFile =
        precision.storesAsInFile || (precision.keepsQuantised && isAnyQuantised(fileTypesOf(tree)));
    return known;
}

ComponentTree inPrecision(const ComponentTree& tree, const ComponentPrecision& asked) {
    const ComponentPrecision precision = settled(asked, tree);
    ComponentTree typed = tree;
    const std::vector<bool> isChanged = adaptedStorages(tree);
    std::vector<bool> isDone(tree.storages.size(), false);
    bool isOther = false;
    Hasher hasher;
    hasher.add(tree.id);
    for (const Leaf& leaf : tree.leaves) {
        for (const WeightId id : leaf.ownWeights()) {
            Weight& weight = typed.weights[id];
            Storage& storage = typed.storages[weight.storage];
            if (!isDone[weight.storage]) {
                isDone[weight.storage] = true;
                StoredAs stored = storedAs(storage, weight, leaf.name, precision);
                if (!isChanged[weight.storage] && stored.type == DType::F32 &&
                    isMultipliedInHalf(storage, weight, precision)) {
                    stored.type = storage.fileType;
                }
                isOther = isOther || stored.scaleCount > 0 || stored.isKeptEncoded ||
                          stored.type != tree.deviceType(weight.storage);
                storage.deviceType = stored.type;
                storage.scaleCount = stored.scaleCount;
                storage.isKeptEncoded = stored.isKeptEncoded;
                storage.uploadType =
                    isChanged[weight.storage] ? adaptedUpload(storage) : std::nullopt;
                hasher.add(nameOf(stored.type)).add(stored.scaleCount);
                hasher.add(int64_t{stored.isKeptEncoded});
            }
            weight.computeType =
                contains(leaf.name, precision.keptF32) ? DType::F32 : precision.compute;
            weight.isLeasedAsStored = !isChanged[weight.storage] && isHalf(*storage.deviceType) &&
                                      isMultipliedInHalf(storage, weight, precision);
        }
    }
    if (isOther) {
        typed.sourceId = tree.weightsId();
        typed.id = hasher.hexDigest();
    }
    return typed;
}

}  // namespace lowtide::memory
