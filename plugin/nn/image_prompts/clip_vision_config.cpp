#include "plugin/nn/image_prompts/clip_vision_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/clip_layer.hpp"

#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kLargestImage = 1 << 12;
}  // namespace

ClipVisionConfig readClipVisionConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    static const std::vector<FixedSetting> fixed = {{"num_channels", 3}};
    refuseOtherSettings(json, what, fixed);
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const ClipVisionConfig defaults;
    const ClipVisionConfig config{
        .imageSize = number("image_size", defaults.imageSize, kLargestImage),
        .patchSize = number("patch_size", defaults.patchSize, kLargestImage),
        .width = number("hidden_size", defaults.width, kMostChannels),
        .innerWidth = number("intermediate_size", defaults.innerWidth, kMostChannels),
        .layers = number("num_hidden_layers", defaults.layers, kMostLayers),
        .heads = number("num_attention_heads", defaults.heads, kMostChannels),
        .projectionWidth = number("projection_dim", defaults.projectionWidth, kMostChannels),
        .epsilon = reader.number("layer_norm_eps").value_or(defaults.epsilon),
        .quickGelu = isQuickGelu(reader)};
    requireDivisible(reader, "num_attention_heads", config.width, config.heads);
    if (config.patches() < 1) {
        throw Error(ErrorKind::Corrupt,
                    what + ": patches of " + std::to_string(config.patchSize) +
                        " pixels do not fit into pictures of " + std::to_string(config.imageSize),
                    "get the image encoder again");
    }
    return config;
}

}  // namespace lowtide::models
