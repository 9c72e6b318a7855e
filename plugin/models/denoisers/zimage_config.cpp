#include "plugin/models/denoisers/zimage_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/models/blocks/config_checks.hpp"

#include <algorithm>
#include <numeric>

namespace lowtide::models {

namespace {

[[noreturn]] void refuseZImage(const JsonReader& reader, const std::string& problem) {
    throw Error(
        ErrorKind::Unsupported, reader.what() + ": " + problem, "choose another checkpoint");
}

/// Lists of squares that a network has layers for: the one that is used must be among them.
void requirePatch(const JsonReader& reader, const Json& json, const char* key, int64_t patch) {
    const Json sizes = json.value(key, Json::array({patch}));
    if (!sizes.is_array() || std::find(sizes.begin(), sizes.end(), patch) == sizes.end()) {
        refuseZImage(reader,
                     std::string(key) + " is " + sizes.dump() + ", only one with " +
                         std::to_string(patch) + " is built");
    }
}

/// The second one is set by models that see pictures.
const FixedSetting kOnly[] = {{"qk_norm", true}, {"siglip_feat_dim", nullptr}};

void readZImageAxes(const JsonReader& reader, ZImageConfig& config) {
    if (reader.has("axes_dims")) {
        const std::vector<int64_t> axes =
            integersInRange(reader, "axes_dims", 2, config.axes.size(), 2, kMostChannels);
        std::copy(axes.begin(), axes.end(), config.axes.begin());
    }
    const bool areEven =
        std::all_of(config.axes.begin(), config.axes.end(), [](int64_t n) { return n % 2 == 0; });
    const int64_t sum = std::accumulate(config.axes.begin(), config.axes.end(), int64_t{0});
    if (!areEven || config.width % config.heads != 0 || sum != config.headWidth()) {
        refuseZImage(reader,
                     "axes_dims are " + toText(config.axes) + ", only even ones that make the " +
                         std::to_string(config.width) + " numbers of dim over the " +
                         std::to_string(config.heads) + " of n_heads are built");
    }
}

}  // namespace

ZImageConfig readZImageConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "ZImageTransformer2DModel");
    refuseOtherSettings(json, what, kOnly);
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
    config.normEpsilon = reader.number("norm_eps").value_or(config.normEpsilon);
    config.rotaryBase = reader.number("rope_theta").value_or(config.rotaryBase);
    config.timeScale = reader.number("t_scale").value_or(config.timeScale);
    requirePatch(reader, json, "all_patch_size", ZImageConfig::kPatch);
    requirePatch(reader, json, "all_f_patch_size", 1);
    readZImageAxes(reader, config);
    return config;
}

}  // namespace lowtide::models
