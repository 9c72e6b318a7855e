#pragma once
// Torch-free: plans see it.

#include <cstdint>

namespace lowtide::tensor {

/// Of a picture in pixels; with several frames, of a video.
struct PictureSize {
    int64_t width = 0;
    int64_t height = 0;
    int64_t frames = 1;

    [[nodiscard]] bool operator==(const PictureSize&) const = default;
};

}  // namespace lowtide::tensor
