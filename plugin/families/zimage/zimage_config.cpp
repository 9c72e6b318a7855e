#include "plugin/families/zimage/zimage_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/json.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

namespace {

/// Lists of squares that a network has layers for: the one that is used must be among them.
void requirePatch(const JsonReader& reader, const Json& json, const char* key, int64_t patch) {
    const Json sizes = json.value(key, Json::array({patch}));
    if (!sizes.is_array() || std::find(sizes.begin(), sizes.end(), patch) == sizes.end()) {
        refuseConfig(reader,
                     std::string(key) + " is " + sizes.dump(-1, ' ', true) + ", only one with " +
                         std::to_string(patch) + " is built");
    }
}

/// The second one is set by models that see pictures.
std::span<const FixedSetting> fixedZImageSettings() {
    static const std::vector<FixedSetting> settings = {{"qk_norm", true},
                                                       {"siglip_feat_dim", nullptr}};
    return settings;
}

}  // namespace

ZImageConfig readZImageConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "ZImageTransformer2DModel");
    refuseOtherSettings(json, what, fixedZImageSettings());
    const auto number = [&](const char* key, int64_t otherwise, int64_t least, int64_t most) {
        return integerInRange(reader, key, otherwise, least, most);
    };
    ZImageConfig config;
    config.inChannels = number("in_channels", config.inChannels, 1, kMostChannels);
    config.width = number("dim", config.width, 2, kMostChannels);
    config.layers = number("n_layers", config.layers, 1, kMostLayers);
    config.refiners = number("n_refiner_layers", config.refiners, 0, kMostLayers);
    config.heads = number("n_heads", config.heads, 1, kMostChannels);
    config.textWidth = number("cap_feat_dim", config.textWidth, 1, kMostChannels);
    config.normEpsilon = numberAboveZero(reader, "norm_eps", config.normEpsilon);
    config.rotaryBase = numberAboveZero(reader, "rope_theta", config.rotaryBase);
    config.timeScale = numberAboveZero(reader, "t_scale", config.timeScale);
    requirePatch(reader, json, "all_patch_size", ZImageConfig::kPatch);
    requirePatch(reader, json, "all_f_patch_size", 1);
    requireDivisible(reader, "n_heads", config.width, config.heads);
    config.axes = headAxes(reader,
                           "axes_dims",
                           config.axes,
                           config.headWidth(),
                           "the " + std::to_string(config.headWidth()) + " numbers of a head");
    return config;
}

}  // namespace lowtide::models
