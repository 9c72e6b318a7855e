#pragma once
// Stage values taken apart and put together again, bit for bit, for files, and the names of their
// element types there.

#include "plugin/base/units.hpp"
#include "plugin/memory/value_codec.hpp"

#include <c10/core/ScalarType.h>

#include <optional>

namespace lowtide::tensor {

/// Codecs of the stage values that can be kept in files: CONDITIONING, LATENT, IMAGE. What they
/// give back has the bits, texts and sampler state of what they took.
[[nodiscard]] memory::ValueCodecs stageValueCodecs();

/// Our name of one of ATen's element types; empty for those that safetensors files do not hold.
[[nodiscard]] std::optional<DType> elementTypeOf(c10::ScalarType type) noexcept;

}  // namespace lowtide::tensor
