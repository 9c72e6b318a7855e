#pragma once
// Parameters that several nodes have: fractions and sizes, those of sampling, and files that a
// user chose. param() of node_def.hpp adds what the node's struct states: the default, and the kind
// of all but texts.

#include "nodes/engine/stages.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/message.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/host_api/host.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace lowtide::nodes {

/// A fraction, from 0 to 1.
[[nodiscard]] inline ParamDesc fractionParam(std::string id,
                                             std::string label,
                                             std::string tooltip,
                                             double step = 0.05) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .min = 0,
            .max = 1,
            .softMin = 0,
            .softMax = 1,
            .step = step};
}

/// Side of the tiles of an autoencoder, in pixels; 0: whole.
[[nodiscard]] inline ParamDesc tileParam(std::string tooltip) {
    return {.id = kTileParam,
            .label = "Tile",
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 0,
            .max = 4096,
            .softMin = 0,
            .softMax = 1024,
            .step = 64,
            .advanced = true};
}

/// Side of the tiles of an image, in pixels; 0: whole.
[[nodiscard]] inline ParamDesc imageTileParam(std::string tooltip) {
    return {.id = kTileParam,
            .label = "Tile",
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 0,
            .max = 8192,
            .softMin = 0,
            .softMax = 1024,
            .step = 64};
}

/// By how much these overlap.
[[nodiscard]] inline ParamDesc overlapParam(std::string tooltip) {
    return {.id = "overlap",
            .label = "Overlap",
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 0,
            .max = 4096,
            .softMin = 0,
            .softMax = 256,
            .step = 8,
            .advanced = true};
}

/// A side of images that are made, in pixels.
[[nodiscard]] inline ParamDesc emptySideParam(std::string id,
                                              std::string label,
                                              std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .min = 16,
            .max = 16384,
            .softMin = 64,
            .softMax = 2048,
            .step = 8};
}

inline constexpr double kMostSteps = 10000;

/// Size, length and rate of a new video.
[[nodiscard]] ParamDesc videoWidthParam();
[[nodiscard]] ParamDesc videoHeightParam();
[[nodiscard]] ParamDesc videoFramesParam();
[[nodiscard]] ParamDesc videoRateParam();
[[nodiscard]] ParamDesc stepsParam();
[[nodiscard]] ParamDesc guidanceParam();
[[nodiscard]] ParamDesc seedParam(std::string tooltip);
[[nodiscard]] ParamDesc samplerParam();
[[nodiscard]] ParamDesc scheduleParam();
[[nodiscard]] ParamDesc sigmasParam();
[[nodiscard]] ParamDesc spacingParam();

/// What a parameter of kind File wants.
struct FileParam {
    const char* id;    ///< that errors blame
    const char* what;  ///< "image"
    Phrase hint;       ///< where nothing is chosen
};

/// The file that the user chose: relative to the graph's folder, or with its full path.
/// Error{NotFound} where nothing is chosen, and what opening gives, on the parameter.
[[nodiscard]] files::InputFile chosenFile(const FileParam& param,
                                          const std::string& typed,
                                          std::string_view graphFolder);

/// What tells a file from another one, and from itself after it was modified, for result keys.
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
