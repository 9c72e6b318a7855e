#pragma once
// How a picture becomes one of another size: which part of it, how large, and where it lies.
// Torch-free.

#include "nodes/engine/stage_requests.hpp"

namespace lowtide::nodes {

/// In pixels: the part of the source, the size that it gets, and what is added around it.
struct FitGeometry {
    PixelSize part;
    int64_t partX = 0;
    int64_t partY = 0;
    PixelSize scaled;
    int64_t left = 0;
    int64_t top = 0;
    PixelSize size;  ///< of the result
};

/// What the request makes of a picture of that size; `multiple`: what both sides of the result must
/// be multiples of. Without a width and a height the picture's own, rounded: down to crop, up to
/// pad, to the nearest to stretch; a side that is not given follows from the other.
/// Error{InvalidInput} names the setting that cannot be.
/// Sources: crop, ComfyUI common_upscale with crop "center"; pad, Pillow ImageOps.pad.
[[nodiscard]] FitGeometry fitGeometry(const PixelSize& source,
                                      const FitRequest& settings,
                                      int64_t multiple);

}  // namespace lowtide::nodes
