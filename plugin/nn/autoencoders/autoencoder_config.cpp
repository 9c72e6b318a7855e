#include "plugin/nn/autoencoders/autoencoder_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"

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
        {"up_block_types", "UpDecoderBlock2D"},
    };
    return settings;
}

void checkLevelCount(const JsonReader& reader, const char* key, size_t count) {
    const size_t seen = reader.texts(key).value_or(std::vector<std::string>{""}).size();
    if (seen != count || count > kMostAutoencoderLevels) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} has {} entries, block_out_channels has {}",
                            reader.what(),
                            key,
                            seen,
                            count),
                    message("get the config.json of the checkpoint again"));
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

[[noreturn]] void refuseSetting(const JsonReader& reader, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", reader.what(), problem),
                message("get the config.json of the checkpoint again"));
}

double finiteNumber(const JsonReader& reader, const char* key, double otherwise) {
    const double number = reader.number(key).value_or(otherwise);
    if (!std::isfinite(number)) {
        refuseSetting(reader, message("{} is no finite number", key));
    }
    return number;
}

/// A number of each channel of the latents; none: not stated.
std::vector<double> channelNumbers(const JsonReader& reader, const char* key, int64_t channels) {
    const std::vector<double> numbers = reader.numbers(key).value_or(std::vector<double>());
    const bool areFinite = std::all_of(
        numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    if (!numbers.empty() && (static_cast<int64_t>(numbers.size()) != channels || !areFinite)) {
        refuseSetting(
            reader,
            message("{} has {} numbers, needs {} finite ones", key, numbers.size(), channels));
    }
    return numbers;
}

/// As diffusers' StableDiffusionXLPipeline takes them: both, or none.
void readStatistics(const JsonReader& reader, AutoencoderConfig& config) {
    config.shiftFactor = finiteNumber(reader, "shift_factor", 0);
    config.latentsMean = channelNumbers(reader, "latents_mean", config.latentChannels);
    config.latentsDeviation = channelNumbers(reader, "latents_std", config.latentChannels);
    if (config.latentsMean.empty() != config.latentsDeviation.empty()) {
        refuseSetting(reader, message("of latents_mean and latents_std only one is there"));
    }
    if (std::any_of(config.latentsDeviation.begin(),
                    config.latentsDeviation.end(),
                    [](double deviation) { return deviation <= 0; })) {
        refuseSetting(reader, message("latents_std has a number that is not above 0"));
    }
}

}  // namespace

LatentSpace latentSpaceOf(const AutoencoderConfig& config) {
    return {.channels = config.latentChannels,
            .factor = config.downsampling(),
            .multiple = config.downsampling(),
            .mean = config.latentsMean,
            .deviation = config.latentsDeviation,
            .scale = config.scalingFactor,
            .shift = config.shiftFactor};
}

AutoencoderConfig readAutoencoderConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "AutoencoderKL");
    refuseOtherSettings(json, what, fixedAutoencoderSettings());
    AutoencoderConfig config;
    config.latentChannels = integerInRange(reader, "latent_channels", 4, 1, kMostChannels);
    config.layersPerBlock = integerInRange(reader, "layers_per_block", 1, 1, kMostLayers);
    config.groups = integerInRange(reader, "norm_num_groups", 32, 1, kMostChannels);
    config.scalingFactor = reader.number("scaling_factor").value_or(config.scalingFactor);
    readStatistics(reader, config);
    config.quantConv = reader.boolean("use_quant_conv").value_or(true);
    config.postQuantConv = reader.boolean("use_post_quant_conv").value_or(true);
    config.midAttention = reader.boolean("mid_block_add_attention").value_or(true);
    config.forceUpcast = reader.boolean("force_upcast").value_or(true);
    config.channels = autoencoderChannels(reader, config.groups);
    if (!(config.scalingFactor > 0)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: scaling_factor is {}, needs a number above 0",
                            what,
                            std::to_string(config.scalingFactor)),
                    message("get the config.json of the checkpoint again"));
    }
    return config;
}

}  // namespace lowtide::models
