#pragma once

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/precision.hpp"

#include <cstdint>
#include <string>

namespace lowtide::nodes {

/// A video that begins with a picture, and may end with one.
struct VideoStartRequest {
    WireRef model;
    WireRef image;
    WireRef last;  ///< may be null: the model ends it as it likes
    int64_t widthPixels = 832;
    int64_t heightPixels = 480;
    int64_t frames = 81;
    double rate = 16;          ///< frames a second
    std::string fit = "crop";  ///< or pad, stretch: how a picture of another shape is brought in
    int64_t tilePixels = 0;    ///< 0: frames are encoded whole
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<VideoStartRequest>& stageOf(const VideoStartRequest&);

}  // namespace lowtide::nodes
