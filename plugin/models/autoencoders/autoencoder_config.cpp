#include "plugin/models/autoencoders/autoencoder_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/config_checks.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::models {

namespace {

constexpr size_t kMostAutoencoderLevels = 8;
constexpr int64_t kImageChannels = 3;

std::span<const FixedSetting> fixedAutoencoderSettings() {
    static const std::vector<FixedSetting> settings = {
        {"act_fn", "silu"},
        {"down_block_types", "DownEncoderBlock2D"},
        {"in_channels", kImageChannels},
        {"out_channels", kImageChannels},
        {"shift_factor", nullptr},
        {"up_block_types", "UpDecoderBlock2D"},
    };
    return settings;
}

void checkLevelCount(const JsonReader& reader, const char* key, size_t count) {
    const size_t seen = reader.texts(key).value_or(std::vector<std::string>{""}).size();
    if (seen != count || count > kMostAutoencoderLevels) {
        throw Error(ErrorKind::Corrupt,
                    reader.what() + ": " + key + " has " + std::to_string(seen) +
                        " entries, block_out_channels has " + std::to_string(count),
                    "get the config.json of the checkpoint again");
    }
}

std::vector<int64_t> autoencoderChannels(const JsonReader& reader, int64_t groups) {
    const size_t count =
        reader.integers("block_out_channels").value_or(std::vector<int64_t>{64}).size();
    checkLevelCount(reader, "down_block_types", count);
    checkLevelCount(reader, "up_block_types", count);
    const std::vector<int64_t> channels =
        integersInRange(reader, "block_out_channels", 64, count, 1, kMostChannels);
    for (const int64_t width : channels) {
        requireDivisible(reader, "norm_num_groups", width, groups);
    }
    return channels;
}

/// latents_mean and latents_std, both or neither.
void readMoments(const JsonReader& reader, AutoencoderConfig& config) {
    config.mean = reader.numbers("latents_mean").value_or(std::vector<double>());
    config.deviation = reader.numbers("latents_std").value_or(std::vector<double>());
    const auto count = static_cast<size_t>(config.latentChannels);
    const auto isFinite = [](double value) { return std::isfinite(value); };
    const auto isAbove0 = [](double value) { return std::isfinite(value) && value > 0; };
    const bool hasNone = config.mean.empty() && config.deviation.empty();
    const bool areRight = config.mean.size() == count && config.deviation.size() == count &&
                          std::all_of(config.mean.begin(), config.mean.end(), isFinite) &&
                          std::all_of(config.deviation.begin(), config.deviation.end(), isAbove0);
    if (!hasNone && !areRight) {
        throw Error(ErrorKind::Corrupt,
                    reader.what() + ": latents_mean has " + std::to_string(config.mean.size()) +
                        " numbers and latents_std " + std::to_string(config.deviation.size()) +
                        ", needs " + std::to_string(count) + " each, deviations above 0",
                    "get the config.json of the checkpoint again");
    }
}

}  // namespace

AutoencoderConfig readAutoencoderConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "AutoencoderKL");
    refuseOtherSettings(json, what, fixedAutoencoderSettings());
    AutoencoderConfig config;
    config.latentChannels = integerInRange(reader, "latent_channels", 4, 1, kMostChannels);
    config.layersPerBlock = integerInRange(reader, "layers_per_block", 1, 1, kMostLayers);
    config.groups = integerInRange(reader, "norm_num_groups", 32, 1, kMostChannels);
    config.scalingFactor = reader.number("scaling_factor").value_or(config.scalingFactor);
    config.quantConv = reader.boolean("use_quant_conv").value_or(true);
    config.postQuantConv = reader.boolean("use_post_quant_conv").value_or(true);
    config.midAttention = reader.boolean("mid_block_add_attention").value_or(true);
    config.forceUpcast = reader.boolean("force_upcast").value_or(true);
    readMoments(reader, config);
    config.channels = autoencoderChannels(reader, config.groups);
    if (!(config.scalingFactor > 0)) {
        throw Error(ErrorKind::Corrupt,
                    what + ": scaling_factor is " + std::to_string(config.scalingFactor) +
                        ", needs a number above 0",
                    "get the config.json of the checkpoint again");
    }
    return config;
}

}  // namespace lowtide::models
