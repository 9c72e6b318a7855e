#pragma once
// What tests ask nodes of images, masks and latents, a field for each port and parameter.

#include "plugin/host_api/host.hpp"
#include "plugin/image/fit_geometry.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lowtide::testing {

using memory::WireRef;

/// A node with its parameters and wires; what is not named has its default, or is not connected.
struct Given {
    std::string node;
    std::map<std::string, Scalar> params{};
    std::map<std::string, WireRef, std::less<>> wires{};
    memory::PrecisionChoice precision{};
    std::string graphFolder{};
};

/// image.fit
struct FitRequest {
    WireRef image;
    WireRef mask;
    WireRef model;
    image::PixelSize size;
    int64_t multiple = 8;
    std::string mode = "crop";
    std::string method = "lanczos";
    std::string fill = "grey";
};

/// image.composite
struct CompositeRequest {
    WireRef destination;
    WireRef source;
    WireRef mask;
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    bool isResized = false;
};

/// mask.from_image
struct MaskRequest {
    WireRef image;
    std::string channel = "brightness";
    double threshold = 0.5;
    bool isInverted = false;
};

/// mask.grow
struct MaskGrowRequest {
    WireRef mask;
    int64_t pixels = 0;
    std::string corners = "tapered";
    double feather = 0;
};

/// upscale.image
struct UpscaleRequest {
    WireRef image;
    std::string method = "lanczos";
    double scale = 2;
};

/// upscale.model
struct UpscaleWithModelRequest {
    WireRef upscaler;
    WireRef image;
    int64_t tilePixels = 512;
    int64_t overlapPixels = 64;
    memory::PrecisionChoice precision{};
};

/// latent.empty; latent.video where it has several frames, or a rate.
struct EmptyLatentRequest {
    int64_t widthPixels = 512;
    int64_t heightPixels = 512;
    int64_t frames = 1;
    int64_t batch = 1;  ///< of images alone
    double rate = 0;
};

/// latent.repeat
struct LatentRepeatRequest {
    WireRef latent;
    int64_t count = 1;
};

/// latent.upscale
struct LatentUpscaleRequest {
    WireRef latent;
    WireRef model;
    std::string method = "bislerp";
    double scale = 2;
    std::optional<image::PixelSize> size;  ///< instead of `scale`
};

[[nodiscard]] Given given(const FitRequest& request);
[[nodiscard]] Given given(const CompositeRequest& request);
[[nodiscard]] Given given(const MaskRequest& request);
[[nodiscard]] Given given(const MaskGrowRequest& request);
[[nodiscard]] Given given(const UpscaleRequest& request);
[[nodiscard]] Given given(const UpscaleWithModelRequest& request);
[[nodiscard]] Given given(const EmptyLatentRequest& request);
[[nodiscard]] Given given(const LatentRepeatRequest& request);
[[nodiscard]] Given given(const LatentUpscaleRequest& request);

}  // namespace lowtide::testing
