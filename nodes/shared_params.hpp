#pragma once
// Parameters that several nodes have: fractions and sizes, those of sampling, and files that a
// person chose.

#include "nodes/engine/stages.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/host_api/host.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// A share of something, from 0 to 1.
[[nodiscard]] inline ParamDesc fractionParam(std::string id,
                                             std::string label,
                                             std::string tooltip,
                                             double defaultValue,
                                             double step = 0.05) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Float,
            .defaultValue = defaultValue,
            .min = 0,
            .max = 1,
            .softMin = 0,
            .softMax = 1,
            .step = step};
}

/// Side of the tiles of an autoencoder, in pixels; 0: whole.
[[nodiscard]] inline ParamDesc tileParam(std::string tooltip) {
    return {.id = "tile",
            .label = "Tile",
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = 0,
            .max = 4096,
            .softMin = 0,
            .softMax = 1024,
            .step = 64,
            .advanced = true};
}

/// A side of pictures that are made anew, in pixels.
[[nodiscard]] inline ParamDesc emptySideParam(std::string id,
                                              std::string label,
                                              std::string tooltip,
                                              int64_t defaultValue) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = defaultValue,
            .min = 16,
            .max = 16384,
            .softMin = 64,
            .softMax = 2048,
            .step = 8};
}

/// Size, length and rate of a video that is made anew.
[[nodiscard]] inline std::vector<ParamDesc> videoParams() {
    const char* size = "Size of the video. Must be a multiple of 16 for most models.";
    return {emptySideParam("width", "Width", size, 832),
            emptySideParam("height", "Height", size, 480),
            {.id = "frames",
             .label = "Frames",
             .tooltip = "Frames of the video: one more than a multiple of 4 for most models.",
             .unit = "frames",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{81},
             .min = 1,
             .max = 4096,
             .softMin = 1,
             .softMax = 161,
             .step = 4},
            {.id = "rate",
             .label = "Rate",
             .tooltip = "Frames a second at which the video is shown; changes no frame.",
             .unit = "fps",
             .kind = ParamKind::Float,
             .defaultValue = 16.0,
             .min = 0.1,
             .max = 1000,
             .softMin = 1,
             .softMax = 60,
             .step = 1}};
}

inline constexpr double kMostSteps = 10000;

/// The first choice is the default.
[[nodiscard]] ParamDesc choiceParam(std::string id,
                                    std::string label,
                                    std::string tooltip,
                                    std::vector<ChoiceDesc> choices);
[[nodiscard]] ParamDesc stepsParam();
[[nodiscard]] ParamDesc guidanceParam();
[[nodiscard]] ParamDesc seedParam(std::string tooltip);
[[nodiscard]] ParamDesc samplerParam();
[[nodiscard]] ParamDesc sigmasParam();
[[nodiscard]] ParamDesc spacingParam();

/// What a parameter of kind File wants.
struct FileParam {
    const char* id;    ///< that errors blame
    const char* what;  ///< "picture"
    const char* hint;  ///< where nothing is chosen
};

/// The file that a person chose: relative to the graph's folder, or with its full path.
/// Error{NotFound} where nothing is chosen, and what opening gives, on the parameter.
[[nodiscard]] files::InputFile chosenFile(const FileParam& param,
                                          const std::string& typed,
                                          std::string_view graphFolder);

/// What tells a file from another one, and from itself after a change, for result keys.
[[nodiscard]] std::string fingerprintOf(const files::InputFile& file);

/// Does `work`; its errors blame the parameter.
template <class Work>
auto blaming(const FileParam& param, Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), param.id);
    }
}

}  // namespace lowtide::nodes
