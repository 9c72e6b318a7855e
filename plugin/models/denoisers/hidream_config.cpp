#include "plugin/models/denoisers/hidream_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/models/blocks/config_checks.hpp"

#include <algorithm>
#include <numeric>

namespace lowtide::models {

namespace {

constexpr int64_t kMostHiDreamPatch = 16;
constexpr int64_t kMostHiDreamSide = 1 << 12;
constexpr int64_t kMostExperts = 256;

[[noreturn]] void refuseHiDream(const JsonReader& reader, const std::string& problem) {
    throw Error(
        ErrorKind::Unsupported, reader.what() + ": " + problem, "choose another checkpoint");
}

/// Numbers of a head that turn by pairs, all of them.
void readAxes(const JsonReader& reader, HiDreamConfig& config) {
    if (reader.has("axes_dims_rope")) {
        const std::vector<int64_t> axes =
            integersInRange(reader, "axes_dims_rope", 2, config.axes.size(), 2, kMostChannels);
        std::copy(axes.begin(), axes.end(), config.axes.begin());
    }
    const bool areEven =
        std::all_of(config.axes.begin(), config.axes.end(), [](int64_t n) { return n % 2 == 0; });
    const int64_t sum = std::accumulate(config.axes.begin(), config.axes.end(), int64_t{0});
    if (!areEven || sum != config.headWidth) {
        refuseHiDream(reader,
                      "axes_dims_rope are " + toText(config.axes) +
                          ", only even ones that make the " + std::to_string(config.headWidth) +
                          " of attention_head_dim are built");
    }
}

void readLanguageLayers(const JsonReader& reader, HiDreamConfig& config) {
    const auto count = static_cast<size_t>(config.layers());
    if (!reader.has("llama_layers")) {
        config.languageLayers.resize(count);
        std::iota(config.languageLayers.begin(), config.languageLayers.end(), 0);
        return;
    }
    config.languageLayers = integersInRange(reader, "llama_layers", 0, count, 0, kMostLayers - 1);
}

}  // namespace

HiDreamConfig readHiDreamConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "HiDreamImageTransformer2DModel");
    const auto number = [&](const char* key, int64_t otherwise, int64_t least, int64_t most) {
        return integerInRange(reader, key, otherwise, least, most);
    };
    HiDreamConfig config;
    config.patch = number("patch_size", config.patch, 1, kMostHiDreamPatch);
    config.inChannels = number("in_channels", config.inChannels, 1, kMostChannels);
    config.outChannels = number("out_channels", config.inChannels, 1, kMostChannels);
    config.doubleLayers = number("num_layers", config.doubleLayers, 1, kMostLayers);
    config.singleLayers = number("num_single_layers", config.singleLayers, 0, kMostLayers);
    config.headWidth = number("attention_head_dim", config.headWidth, 2, kMostChannels);
    config.heads = number("num_attention_heads", config.heads, 1, kMostChannels);
    const std::vector<int64_t> texts =
        integersInRange(reader, "caption_channels", config.t5Width, 2, 1, kMostChannels);
    config.t5Width = texts[0];
    config.languageWidth = texts[1];
    config.pooledWidth = number("text_emb_dim", config.pooledWidth, 1, kMostChannels);
    config.experts = number("num_routed_experts", config.experts, 0, kMostExperts);
    config.activeExperts = number("num_activated_experts", config.activeExperts, 1, kMostExperts);
    if (config.experts > 0 && config.activeExperts > config.experts) {
        refuseHiDream(reader,
                      "num_activated_experts is " + std::to_string(config.activeExperts) + " of " +
                          std::to_string(config.experts) + " experts");
    }
    const std::vector<int64_t> most =
        integersInRange(reader, "max_resolution", 128, 2, 1, kMostHiDreamSide);
    config.mostTokens = most[0] * most[1] / (config.patch * config.patch);
    readAxes(reader, config);
    readLanguageLayers(reader, config);
    return config;
}

}  // namespace lowtide::models
