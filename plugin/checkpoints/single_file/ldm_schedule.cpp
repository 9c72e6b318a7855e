#include "plugin/checkpoints/single_file/ldm_schedule.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Whether a UNet of Stable Diffusion 2.x was trained to predict velocity, by the standard
/// deviation of the bias of the last transformer's first norm: above 0.09 it was. Nothing where the
/// file has no such tensor. `prefix`: of the UNet's names. Reads the tensor.
/// Source: measured by ComfyUI (supported_models.py, SD20), which goes by it alone.
[[nodiscard]] std::optional<bool> biasLooksLikeVelocity(const WeightMap& file,
                                                        std::string_view prefix);

namespace {

constexpr int64_t kVersion2Width = 1024;
/// Training steps of SD 2.0 base and 2.1 base, which predict noise though they are of version 2.
constexpr const char* kBaseSteps = "875000";
constexpr int64_t kChannelsWithoutMask = 4;
constexpr const char* kPredictsNoise = "epsilon";
constexpr const char* kPredictsVelocity = "v_prediction";

/// However users spell it; nothing: the word means neither, and other programs do not read it.
std::optional<std::string> predictionIn(std::string_view word) {
    constexpr std::string_view kOfVelocity[] = {
        "v", "vpred", "vprediction", "velocity", "velocityprediction"};
    constexpr std::string_view kOfNoise[] = {
        "eps", "epsilon", "epsilonprediction", "epsprediction", "noise", "noiseprediction"};
    std::string plain = toLower(word);
    std::erase_if(plain,
                  [](char letter) { return letter == '-' || letter == '_' || letter == ' '; });
    const auto isOneOf = [&](const auto& words) {
        return std::find(std::begin(words), std::end(words), plain) != std::end(words);
    };
    return isOneOf(kOfVelocity) ? std::optional<std::string>(kPredictsVelocity)
           : isOneOf(kOfNoise)  ? std::optional<std::string>(kPredictsNoise)
                                : std::nullopt;
}

}  // namespace

std::optional<std::string> statedPrediction(const WeightFileHeader& file) {
    const auto stated = file.metadata.find("modelspec.prediction_type");
    const auto known = stated == file.metadata.end() ? std::nullopt : predictionIn(stated->second);
    if (known) {
        return known;
    }
    return file.map.tensors.contains("v_pred") ? std::optional<std::string>(kPredictsVelocity)
                                               : std::nullopt;
}

bool readsVersion2Texts(const WeightMap& file, std::string_view prefix) {
    const auto location = file.tensors.find(
        std::string(prefix) + "middle_block.1.transformer_blocks.0.attn2.to_k.weight");
    return location != file.tensors.end() && !location->second.shape.empty() &&
           location->second.shape.back() == kVersion2Width;
}

std::optional<std::string> version2Prediction(const WeightFileHeader& file,
                                              std::string_view prefix) {
    const auto steps = file.metadata.find("global_step");
    const int64_t channels = ldmInputChannels(file.map, prefix);
    const bool fillsMasks = channels != 0 && channels != kChannelsWithoutMask;
    if (fillsMasks || (steps != file.metadata.end() && steps->second == kBaseSteps)) {
        return kPredictsNoise;
    }
    const std::optional<bool> isVelocity = biasLooksLikeVelocity(file.map, prefix);
    return isVelocity ? std::optional<std::string>(*isVelocity ? kPredictsVelocity : kPredictsNoise)
                      : std::nullopt;
}

void addZeroSnr(const WeightFileHeader& file, Json& settings) {
    if (!file.map.tensors.contains("ztsnr")) {
        return;
    }
    settings["rescale_betas_zero_snr"] = true;
    if (settings.value("prediction_type", "") == kPredictsVelocity) {
        settings["timestep_spacing"] = "trailing";
    }
}

void refuseEdmVelocity(const WeightFileHeader& file) {
    constexpr const char* kEdmVelocity = "edm_vpred.sigma_max";
    if (file.map.tensors.contains(kEdmVelocity)) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: the key {} states that it predicts velocity of EDM's noise; only "
                            "noise of EDM's (edm_mean, edm_std) is built",
                            file.map.what,
                            kEdmVelocity),
                    message("choose another checkpoint"));
    }
}

namespace {

constexpr std::string_view kBias = "output_blocks.11.1.transformer_blocks.0.norm1.bias";
constexpr double kLeastDeviation = 0.09;

double deviationOf(const std::vector<double>& values) {
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

std::optional<bool> biasLooksLikeVelocity(const WeightMap& file, std::string_view prefix) {
    const std::optional<std::vector<double>> values =
        readValues(file, std::string(prefix) + std::string(kBias));
    return values ? std::optional(deviationOf(*values) > kLeastDeviation) : std::nullopt;
}

}  // namespace lowtide::models
