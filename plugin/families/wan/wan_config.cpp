#include "plugin/families/wan/wan_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kMostWanPatch = 16;
constexpr int64_t kMostWanPositions = 1 << 20;

std::span<const FixedSetting> fixedWanSettings() {
    static const std::vector<FixedSetting> settings = {{"qk_norm", "rms_norm_across_heads"},
                                                       {"window_size", -1}};
    return settings;
}

/// Keys and values of pictures are as wide as the network, or there are none.
void requireOwnWidth(const JsonReader& reader, const WanConfig& config) {
    const std::optional<int64_t> added = reader.integer("added_kv_proj_dim");
    const int64_t expected = config.pictureWidth > 0 ? config.width() : 0;
    if (added.value_or(0) != expected) {
        refuseConfig(reader,
                     "added_kv_proj_dim is " + std::to_string(added.value_or(0)) + ", only " +
                         std::to_string(expected) + " is built beside image_dim " +
                         std::to_string(config.pictureWidth));
    }
}

/// The autoencoder's videos have any number of frames, and rotations go by pairs.
void requireBuiltSizes(const JsonReader& reader, const WanConfig& config) {
    if (config.patch[0] != 1) {
        refuseConfig(
            reader,
            "patch_size has " + std::to_string(config.patch[0]) + " frames, only 1 is built");
    }
    if (config.headWidth % 2 != 0) {
        refuseConfig(reader,
                     "attention_head_dim is " + std::to_string(config.headWidth) +
                         ", only even ones are built");
    }
}

}  // namespace

WanConfig readWanConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "WanTransformer3DModel");
    refuseOtherSettings(json, what, fixedWanSettings());
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const auto optional = [&](const char* key, int64_t most) {
        return integerInRange(reader, key, 0, 0, most);
    };
    WanConfig config;
    config.heads = number("num_attention_heads", config.heads, kMostChannels);
    config.headWidth = number("attention_head_dim", config.headWidth, kMostChannels);
    config.inChannels = number("in_channels", config.inChannels, kMostChannels);
    config.outChannels = number("out_channels", config.outChannels, kMostChannels);
    config.textWidth = number("text_dim", config.textWidth, kMostChannels);
    config.timeWidth = number("freq_dim", config.timeWidth, kMostChannels);
    config.innerWidth = number("ffn_dim", config.innerWidth, kMostChannels);
    config.layers = number("num_layers", config.layers, kMostLayers);
    config.hasCrossNorm = reader.boolean("cross_attn_norm").value_or(config.hasCrossNorm);
    config.epsilon = reader.number("eps").value_or(config.epsilon);
    config.pictureWidth = optional("image_dim", kMostChannels);
    config.picturePositions = optional("pos_embed_seq_len", kMostChannels);
    config.mostPatches = number("rope_max_seq_len", config.mostPatches, kMostWanPositions);
    if (reader.has("patch_size")) {
        const std::vector<int64_t> patch =
            integersInRange(reader, "patch_size", 1, config.patch.size(), 1, kMostWanPatch);
        std::copy(patch.begin(), patch.end(), config.patch.begin());
    }
    requireBuiltSizes(reader, config);
    requireOwnWidth(reader, config);
    return config;
}

}  // namespace lowtide::models
