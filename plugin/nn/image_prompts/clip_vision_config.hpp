#pragma once

#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <string>

namespace lowtide::models {

/// Settings of image_encoder/config.json. Missing ones get the defaults of transformers'
/// CLIPVisionConfig.
struct ClipVisionConfig {
    int64_t imageSize = 224;  ///< pixels along a side of the square that it sees
    int64_t patchSize = 32;
    int64_t width = 768;
    int64_t innerWidth = 3072;
    int64_t layers = 12;
    int64_t heads = 12;
    int64_t projectionWidth = 512;
    double epsilon = 1e-5;
    bool quickGelu = true;

    [[nodiscard]] int64_t patches() const { return imageSize / patchSize; }  ///< along a side
};

/// Error{Corrupt} for impossible values, Error{Unsupported} for another activation.
[[nodiscard]] ClipVisionConfig readClipVisionConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
