#include "plugin/families/hidream/hidream_config.hpp"

#include "plugin/base/config_checks.hpp"

#include <numeric>

namespace lowtide::models {

namespace {

constexpr int64_t kMostHiDreamPatch = 16;
constexpr int64_t kMostHiDreamSide = 1 << 12;
constexpr int64_t kMostExperts = 256;

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
        refuseConfig(reader,
                     "num_activated_experts is " + std::to_string(config.activeExperts) + " of " +
                         std::to_string(config.experts) + " experts");
    }
    const std::vector<int64_t> most =
        integersInRange(reader, "max_resolution", 128, 2, 1, kMostHiDreamSide);
    config.mostTokens = most[0] * most[1] / (config.patch * config.patch);
    config.axes = headAxes(reader,
                           "axes_dims_rope",
                           config.axes,
                           config.headWidth,
                           "the " + std::to_string(config.headWidth) + " of attention_head_dim");
    readLanguageLayers(reader, config);
    return config;
}

}  // namespace lowtide::models
