#pragma once
// Which models an adapter is for, what a checkpoint is to adapters, and what users call an
// adapter. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/adapters/adapter_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// What tells families apart: the width of the text that the denoiser reads, and the text encoder's
/// own; or names of modules that one family alone has.
struct AdapterBase {
    std::optional<int64_t> contextWidth;
    bool isOwnContext = false;         ///< it is as wide as the network
    std::optional<int64_t> textWidth;  ///< of text_encoder, or where that is missing of the second
    Message family{};                  ///< "Z-Image", by the names of the denoiser's modules
    bool isBuilt = true;               ///< there are such networks here
    bool hasDenoiser = false;          ///< it changes one
    bool isUNet = false;               ///< by the names of the denoiser's modules

    /// Of a denoiser.
    [[nodiscard]] bool isKnown() const { return contextWidth || !family.empty(); }

    /// Whether some model that is built takes an adapter for it.
    [[nodiscard]] bool isTaken() const {
        return isBuilt && (isKnown() || isUNet || (!hasDenoiser && textWidth));
    }

    /// "SD 1.x", "SD 2.x", "networks with a context 48 wide"; empty where it is not known.
    [[nodiscard]] Message text() const;
};

[[nodiscard]] AdapterBase baseOf(const AdapterFile& file);
/// Of one component of a checkpoint.
[[nodiscard]] AdapterBase baseOf(const memory::ComponentTree& tree);

/// Whether a file has tensors that only adapters of weights have.
[[nodiscard]] bool looksLikeAdapter(const WeightMap& file);

/// "LoRA for SD 1.x, rank 32, UNet and text encoder, 264 layers"; from the header alone. Errors:
/// those of readAdapterHeader().
[[nodiscard]] Message whatAdapterIs(const WeightFileHeader& header);
[[nodiscard]] Message whatAdapterIs(const AdapterFile& file);

/// "LoRA", "LoHa and full differences": the kinds of its layers.
[[nodiscard]] Message kindsOf(const AdapterFile& file);

}  // namespace lowtide::models
