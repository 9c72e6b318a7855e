#pragma once

#include "plugin/checkpoints/adapters/adapter_file.hpp"

#include <string>

namespace lowtide::models {

/// Whether a file has tensors that only adapters of weights have.
[[nodiscard]] bool looksLikeAdapter(const WeightMap& file);

/// "LoRA for SD 1.x, rank 32, UNet and text encoder, 264 layers"; from the header alone. Errors:
/// those of readAdapterHeader().
[[nodiscard]] std::string whatAdapterIs(const WeightFileHeader& header);
[[nodiscard]] std::string whatAdapterIs(const AdapterFile& file);

/// "LoRA", "LoHa and full differences": the kinds of its layers.
[[nodiscard]] std::string kindsOf(const AdapterFile& file);

}  // namespace lowtide::models
