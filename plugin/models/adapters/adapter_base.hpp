#pragma once
// Which models an adapter is for, and what a checkpoint is to adapters. Torch-free.

#include "plugin/models/adapters/adapter_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// What tells families apart: the width of the text that the denoiser reads, and the text encoder's
/// own.
struct AdapterBase {
    std::optional<int64_t> contextWidth;
    std::optional<int64_t> textWidth;  ///< of text_encoder, or where that is missing of the second
    std::string otherFamily{};         ///< "Flux": of networks that are not built

    /// "SD 1.x", "SDXL", "networks with a context 48 wide"; empty where nothing tells.
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] AdapterBase baseOf(const AdapterFile& file);
/// Of one component of a checkpoint.
[[nodiscard]] AdapterBase baseOf(const memory::ComponentTree& tree);

}  // namespace lowtide::models
