#pragma once
// What a file of an IP-Adapter holds, by its header. Torch-free.

#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/nn/image_prompts/image_projection.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::models {

/// A tensor of the file.
struct IpTensor {
    std::string key;
    TensorLocation location;
};

/// Keys and values of images for one cross attention: both [width, contextWidth].
struct IpPair {
    IpTensor key;
    IpTensor value;

    [[nodiscard]] int64_t width() const { return key.location.shape[0]; }
};

struct IpAdapterFile {
    std::string what;                         ///< for messages: its name in quotes
    std::vector<memory::WeightFile> files{};  ///< the one
    ImageProjectionConfig projection{};
    WeightMap projectionWeights{};  ///< as ImageProjection takes them
    std::vector<IpPair> pairs{};    ///< by number: of the way down, up, and the middle

    /// Of the text that its denoiser reads.
    [[nodiscard]] int64_t contextWidth() const { return projection.width; }

    /// "IP-Adapter Plus for SD 1.x".
    [[nodiscard]] std::string label() const;
};

/// Whether these are the tensors of an IP-Adapter, of any kind.
[[nodiscard]] bool isIpAdapter(const WeightMap& file);

/// Error{Unsupported} for a kind that is not built, by its name (FaceID, full face), and for what
/// is none; Error{Corrupt} names a tensor that is missing, or of another shape or type.
[[nodiscard]] IpAdapterFile ipAdapterIn(const WeightMap& file);

}  // namespace lowtide::models
