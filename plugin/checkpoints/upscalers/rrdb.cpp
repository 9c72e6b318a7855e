#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/upscalers/upscaler_type.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/nn/upscalers/rrdb_net.hpp"

namespace lowtide::models {

namespace {

/// Its sums stay small, so half precision serves.
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
        Pass pass(context, *net_.tree());
        return net_.apply(pass, pixels);
    }

private:
    RrdbNet net_;
    UpscalerInfo info_;
};

/// Single numbers beside the layers (steps of a training, counts of an average) compute nothing.
/// Whatever else a file has more than an RRDBNet makes another network of it.
void leaveOutCounters(WeightMap& weights) {
    std::vector<std::string> counters;
    std::erase_if(weights.tensors, [&](const auto& entry) {
        const auto& [name, place] = entry;
        const bool isOfLayer = name.ends_with(".weight") || name.ends_with(".bias");
        const bool isCounter = !isOfLayer && elementCount(place.shape) == 1;
        if (isCounter) {
            counters.push_back(name);
        }
        return isCounter;
    });
    if (!counters.empty()) {
        log(Level::Warning,
            weights.what + " is read without the numbers " + listSome(counters) +
                ", which are none of its layers'");
    }
}

std::shared_ptr<const Upscaler> openRrdb(const WeightMap& weights, const std::string& name) {
    const RrdbConfig config = readRrdbConfig(weights);
    WeightMap described = weights;
    leaveOutCounters(described);
    described.settings = config.text();
    described.hint = "get the file again";
    return std::make_shared<const RrdbUpscaler>(config, described, name);
}

}  // namespace

const UpscalerType& rrdb() {
    static const UpscalerType type{.name = "ESRGAN", .detect = isRrdb, .open = openRrdb};
    return type;
}

}  // namespace lowtide::models
