#include "plugin/models/single_file/ldm_parts.hpp"

#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/constants_check.hpp"
#include "plugin/models/single_file/ldm_settings.hpp"

#include <utility>

namespace lowtide::models {

namespace {

const Shape* inputShape(const WeightMap& file) {
    std::string name(kLdmUNet);
    name += "input_blocks.0.0.weight";
    const auto input = file.tensors.find(name);
    return input == file.tensors.end() ? nullptr : &input->second.shape;
}

Json ldmUNetSettings(const WeightMap& file) {
    const TensorView view(
        file, [](std::string_view name) { return std::string(kLdmUNet) + std::string(name); });
    return unetSettings(view);
}

}  // namespace

SharedHeader sharedHeader(const ModelSource& source) {
    return std::make_shared<const WeightFileHeader>(*source.header);
}

bool hasLdmUNet(const WeightMap& file) {
    return inputShape(file) != nullptr;
}

int64_t ldmInputChannels(const WeightMap& file) {
    const Shape* shape = inputShape(file);
    return shape && shape->size() == 4 ? (*shape)[1] : 0;
}

FileNetwork ldmUNet(const SharedHeader& file) {
    return {
        .className = "UNet2DConditionModel",
        .settings = [file] { return ldmUNetSettings(file->map); },
        .weights = [file] { return unetMap(file->map, unetLayout(ldmUNetSettings(file->map))); },
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

std::optional<std::string> statedPrediction(const WeightFileHeader& file) {
    const auto stated = file.metadata.find("modelspec.prediction_type");
    if (stated != file.metadata.end()) {
        return stated->second == "v" ? "v_prediction" : stated->second;
    }
    return file.map.tensors.contains("v_pred") ? std::optional<std::string>("v_prediction")
                                               : std::nullopt;
}

}  // namespace lowtide::models
