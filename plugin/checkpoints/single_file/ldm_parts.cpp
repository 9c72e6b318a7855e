#include "plugin/checkpoints/single_file/ldm_parts.hpp"

#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/constants_check.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kOtherNetworks[] = {
    kLdmAutoencoder, "cond_stage_model.", "conditioner."};

const Shape* inputShape(const WeightMap& file, std::string_view prefix) {
    const auto input = file.tensors.find(std::string(prefix) + "input_blocks.0.0.weight");
    return input == file.tensors.end() ? nullptr : &input->second.shape;
}

Json ldmUNetSettings(const WeightMap& file, std::string_view prefix) {
    const TensorView view(
        file, [prefix](std::string_view name) { return std::string(prefix) + std::string(name); });
    return unetSettings(view);
}

}  // namespace

SharedHeader sharedHeader(const ModelSource& source) {
    return std::make_shared<const WeightFileHeader>(*source.header);
}

bool hasLdmUNet(const WeightMap& file, std::string_view prefix) {
    return inputShape(file, prefix) != nullptr;
}

bool isLdmCheckpoint(const WeightMap& file) {
    return hasLdmUNet(file, kLdmUNet) &&
           std::any_of(std::begin(kOtherNetworks),
                       std::end(kOtherNetworks),
                       [&](std::string_view other) { return hasUnder(file, other); });
}

int64_t ldmInputChannels(const WeightMap& file, std::string_view prefix) {
    const Shape* shape = inputShape(file, prefix);
    return shape && shape->size() == 4 ? (*shape)[1] : 0;
}

FileNetwork ldmUNet(const SharedHeader& file, std::string_view prefix) {
    const auto settings = [file, start = std::string(prefix)] {
        return ldmUNetSettings(file->map, start);
    };
    return {.className = "UNet2DConditionModel",
            .settings = settings,
            .weights = [file,
                        start = std::string(prefix),
                        settings] { return unetMap(file->map, start, unetLayout(settings())); },
            .check = checkUNetConstants};
}

FileNetwork ldmAutoencoder(const SharedHeader& file, std::string_view prefix, Json constants) {
    const auto weights = [file, start = std::string(prefix)] {
        return autoencoderMap(file->map, start);
    };
    const bool isThere = hasUnder(file->map, std::string(prefix) + "decoder.");
    return {.className = isThere ? "AutoencoderKL" : "",
            .settings =
                [weights, isThere, constants = std::move(constants)] {
                    if (!isThere) {
                        return constants;
                    }
                    const WeightMap map = weights();
                    Json settings = autoencoderSettings(viewOf(map));
                    settings.update(constants);
                    return settings;
                },
            .weights = weights,
            .check = checkAutoencoderConstants};
}

FileNetwork ldmTextEncoder(std::function<WeightMap()> weights, bool isOpenClip) {
    return {.className = "CLIPTextModel",
            .settings =
                [weights, isOpenClip] {
                    const WeightMap map = weights();
                    return textEncoderSettings(viewOf(map), isOpenClip);
                },
            .weights = weights,
            .check = checkTextConstants};
}

}  // namespace lowtide::models
