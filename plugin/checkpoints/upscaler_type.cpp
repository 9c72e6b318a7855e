#include "plugin/checkpoints/upscaler_type.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/nn/upscalers/rrdb_net.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

const UpscalerType& rrdb();

namespace {

[[noreturn]] void refuseUpscaler(const WeightMap& map) {
    std::vector<std::string> seen;
    for (const auto& [name, location] : map.tensors) {
        seen.push_back(quotedName(name));
    }
    std::vector<std::string> built;
    for (const UpscalerType* type : upscalerTypes()) {
        built.push_back(type->name);
    }
    constexpr size_t kShownNames = 3;
    if (const auto known = knownByNames(map); known && known->kind == kUpscaler) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is an upscaler of the construction {}, which is not built: {} is",
                            map.what,
                            known->family,
                            join(built, ", ")),
                    message("choose an ESRGAN or Real-ESRGAN file"));
    }
    throw Error(ErrorKind::Unsupported,
                message("{} holds no upscaler that is built ({}): it has {}",
                        map.what,
                        join(built, ", "),
                        seen.empty() ? message("no tensors")
                                     : message("the tensors {}", listSome(seen, kShownNames))),
                message("choose an ESRGAN or Real-ESRGAN file"));
}

}  // namespace

std::span<const UpscalerType* const> upscalerTypes() {
    static const std::vector<const UpscalerType*> kTypes = {&rrdb()};
    return kTypes;
}

std::shared_ptr<const Upscaler> openUpscaler(const std::string& path, const std::string& name) {
    const WeightMap map = openWeightFile(path).map;
    const auto all = upscalerTypes();
    const auto type = std::find_if(
        all.begin(), all.end(), [&](const UpscalerType* known) { return known->detect(map); });
    if (type == all.end()) {
        refuseUpscaler(map);
    }
    return (*type)->open(map, name);
}

namespace {

/// Its sums remain small, so half precision serves.
const memory::FamilyPrecision& rrdbPrecisions() {
    const std::string role(kUpscaler);
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    static const memory::FamilyPrecision precisions{.presets = {{"quality", {{role, exact}}},
                                                                {"balanced", {{role, half}}},
                                                                {"speed", {{role, half}}}},
                                                    .keptF32 = {},
                                                    .keptFromF8 = {},
                                                    .mayOverflow = {}};
    return precisions;
}

class RrdbUpscaler final : public Upscaler {
public:
    RrdbUpscaler(const RrdbConfig& config, const WeightMap& weights, const std::string& name)
        : net_(config, weights),
          info_{.network = net_.tree()->network,
                .name = name,
                .scale = config.scale(),
                .multiple = config.unshuffle,
                .files = weights.files} {}

    [[nodiscard]] const UpscalerInfo& info() const override { return info_; }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override {
        return role == kUpscaler ? net_.tree() : nullptr;
    }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return rrdbPrecisions();
    }

    [[nodiscard]] at::Tensor enlarge(StageContext& context,
                                     const at::Tensor& pixels) const override {
        Forward forward(context, *net_.tree());
        return net_.apply(forward, pixels);
    }

private:
    RrdbNet net_;
    UpscalerInfo info_;
};

/// Single numbers in addition to the layers (steps of a training, counts of an average) compute
/// nothing. Whatever else a file has more than an RRDBNet makes another network of it.
void leaveOutCounters(WeightMap& weights) {
    std::vector<std::string> counters;
    std::erase_if(weights.tensors, [&](const auto& entry) {
        const auto& [name, location] = entry;
        const bool isOfLayer = name.ends_with(".weight") || name.ends_with(".bias");
        const bool isCounter = !isOfLayer && elementCount(location.shape) == 1;
        if (isCounter) {
            counters.push_back(name);
        }
        return isCounter;
    });
    if (!counters.empty()) {
        log(Level::Warning,
            weights.what + " is read without the numbers " + listSome(counters).str() +
                ", which are none of its layers'");
    }
}

std::shared_ptr<const Upscaler> openRrdb(const WeightMap& weights, const std::string& name) {
    const RrdbConfig config = readRrdbConfig(weights);
    WeightMap described = weights;
    leaveOutCounters(described);
    described.settings = config.text();
    described.hint = phrase("get the file again");
    return std::make_shared<const RrdbUpscaler>(config, described, name);
}

}  // namespace

const UpscalerType& rrdb() {
    static const UpscalerType type{.name = "ESRGAN", .detect = isRrdb, .open = openRrdb};
    return type;
}

}  // namespace lowtide::models
