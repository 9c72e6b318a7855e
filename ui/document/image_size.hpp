#pragma once

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lowtide::ui {

struct PixelSize {
    int64_t width = 0;
    int64_t height = 0;

    [[nodiscard]] int64_t pixels() const { return width * height; }

    bool operator==(const PixelSize&) const = default;
};

/// Width to height: 16:9.
struct Ratio {
    int64_t across = 1;
    int64_t down = 1;

    bool operator==(const Ratio&) const = default;
};

/// Those that cameras, screens and paper have, wide ones first.
[[nodiscard]] std::span<const Ratio> usualRatios();

/// Which widths and heights a node takes.
struct SizeLimits {
    int64_t multiple = 1;
    int64_t least = 1;
    int64_t most = 0;  ///< 0: any
};

/// Of a parameter that is a side: its step, its bounds.
[[nodiscard]] SizeLimits sizeLimitsOf(const ParamDesc& param);

/// The size of that ratio with about so many pixels.
[[nodiscard]] PixelSize sizeOfRatio(Ratio ratio, int64_t pixels, const SizeLimits& limits);
/// Of images of the model that works on what the node makes, as the nearest node behind it states
/// in `facts`, by node; 0: nothing is known.
[[nodiscard]] int64_t usualPixelsFor(const graph::Document& document,
                                     const std::string& node,
                                     const Json& facts);
/// The usual ratio that is nearest, where rounding its sides gives this size; nothing: none does.
[[nodiscard]] std::optional<Ratio> ratioOf(const PixelSize& size, const SizeLimits& limits);

}  // namespace lowtide::ui
