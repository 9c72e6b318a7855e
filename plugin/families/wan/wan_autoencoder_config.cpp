#include "plugin/families/wan/wan_autoencoder_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::models {

namespace {

constexpr size_t kMostWanLevels = 8;
constexpr int64_t kMostWanWidth = 64;  ///< times the base width

/// WAN 2.1's latents, where config.json does not state them.
/// Source: diffusers 0.42.1 AutoencoderKLWan.
const std::vector<double> kWanMean = {-0.7571,
                                      -0.7089,
                                      -0.9113,
                                      0.1075,
                                      -0.1745,
                                      0.9653,
                                      -0.1517,
                                      1.5508,
                                      0.4134,
                                      -0.0715,
                                      0.5517,
                                      -0.3632,
                                      -0.1922,
                                      -0.9497,
                                      0.2503,
                                      -0.2921};
const std::vector<double> kWanDeviation = {2.8184,
                                           1.4541,
                                           2.3275,
                                           2.6558,
                                           1.2196,
                                           1.7708,
                                           2.6052,
                                           2.0743,
                                           3.2687,
                                           2.1526,
                                           2.8652,
                                           1.5579,
                                           1.6382,
                                           1.1253,
                                           2.8251,
                                           1.9160};

std::span<const FixedSetting> fixedWanAutoencoderSettings() {
    static const std::vector<FixedSetting> settings = {{"attn_scales", Json::array()},
                                                       {"in_channels", 3},
                                                       {"is_residual", false},
                                                       {"out_channels", 3},
                                                       {"patch_size", nullptr}};
    return settings;
}

[[noreturn]] void refuseWanSetting(const JsonReader& reader, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                reader.what() + ": " + problem,
                "get the config.json of the checkpoint again");
}

std::vector<bool> frameHalvings(const Json& json, const JsonReader& reader, size_t count) {
    const auto stated = json.find("temperal_downsample");
    if (stated == json.end() || stated->is_null()) {
        return {false, true, true};
    }
    const bool areFlags =
        stated->is_array() && std::all_of(stated->begin(), stated->end(), [](const Json& each) {
            return each.is_boolean();
        });
    if (!areFlags || stated->size() != count) {
        refuseWanSetting(
            reader, "temperal_downsample needs " + std::to_string(count) + " of true and false");
    }
    return stated->get<std::vector<bool>>();
}

std::vector<double> wanNumbers(const JsonReader& reader,
                               const char* key,
                               const std::vector<double>& otherwise,
                               int64_t channels) {
    std::vector<double> numbers = reader.numbers(key).value_or(otherwise);
    const bool areFinite = std::all_of(
        numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    if (static_cast<int64_t>(numbers.size()) != channels || !areFinite) {
        refuseWanSetting(reader,
                         std::string(key) + " has " + std::to_string(numbers.size()) +
                             " numbers, needs " + std::to_string(channels) + " finite ones");
    }
    return numbers;
}

}  // namespace

int64_t WanAutoencoderConfig::frameDownsampling() const {
    return int64_t{1} << std::count(halvesFrames.begin(), halvesFrames.end(), true);
}

LatentSpace latentSpaceOf(const WanAutoencoderConfig& config, int64_t multiple) {
    return {.channels = config.latentChannels,
            .factor = config.downsampling(),
            .frameFactor = config.frameDownsampling(),
            .multiple = multiple,
            .hasFrames = true,
            .mean = config.latentsMean,
            .deviation = config.latentsDeviation};
}

WanAutoencoderConfig readWanAutoencoderConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "AutoencoderKLWan");
    refuseOtherSettings(json, what, fixedWanAutoencoderSettings());
    WanAutoencoderConfig config;
    config.latentChannels =
        integerInRange(reader, "z_dim", config.latentChannels, 1, kMostChannels);
    config.baseWidth = integerInRange(reader, "base_dim", config.baseWidth, 1, kMostChannels);
    config.decoderBaseWidth =
        integerInRange(reader, "decoder_base_dim", config.baseWidth, 1, kMostChannels);
    config.layersPerBlock =
        integerInRange(reader, "num_res_blocks", config.layersPerBlock, 1, kMostLayers);
    if (const auto stated = reader.integers("dim_mult")) {
        if (stated->size() < 2 || stated->size() > kMostWanLevels) {
            refuseWanSetting(reader,
                             "dim_mult has " + std::to_string(stated->size()) +
                                 " entries, needs 2 to " + std::to_string(kMostWanLevels));
        }
        config.widths = integersInRange(reader, "dim_mult", 1, stated->size(), 1, kMostWanWidth);
    }
    config.halvesFrames = frameHalvings(json, reader, config.widths.size() - 1);
    config.latentsMean = wanNumbers(reader, "latents_mean", kWanMean, config.latentChannels);
    config.latentsDeviation =
        wanNumbers(reader, "latents_std", kWanDeviation, config.latentChannels);
    if (std::any_of(config.latentsDeviation.begin(),
                    config.latentsDeviation.end(),
                    [](double deviation) { return deviation <= 0; })) {
        refuseWanSetting(reader, "latents_std has a number that is not above 0");
    }
    return config;
}

}  // namespace lowtide::models
