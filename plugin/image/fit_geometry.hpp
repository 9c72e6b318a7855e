#pragma once
// How an image becomes one of another size: which part of it, how large, and where it lies.

#include <cstdint>

namespace lowtide::image {

/// Of an image.
struct PixelSize {
    int64_t width = 0;
    int64_t height = 0;
};

/// What happens to an image of another shape.
enum class FitMode : uint8_t { Crop, Pad, Stretch };

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

/// How an image of the size `source` becomes one of `wanted`, whose sides are multiples of
/// `multiple`. With 0 for both sides the image's own, rounded: down to crop, up to pad, to the
/// nearest to stretch; a side of 0 follows from the other. Error{InvalidInput} on
/// "width" or "height".
/// Sources: crop, ComfyUI common_upscale with crop "center"; pad, Pillow ImageOps.pad.
[[nodiscard]] FitGeometry fitGeometry(const PixelSize& source,
                                      const PixelSize& wanted,
                                      FitMode mode,
                                      int64_t multiple);

}  // namespace lowtide::image
