#pragma once

#include "plugin/memory/value_codec.hpp"

namespace lowtide::tensor {

/// Codecs of the stage values that can be kept in files: CONDITIONING, LATENT, IMAGE. What they
/// give back has the bits, texts and sampler state of what they took.
[[nodiscard]] memory::ValueCodecs stageValueCodecs();

}  // namespace lowtide::tensor
