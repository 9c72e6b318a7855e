#pragma once

#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/tensor/recorder.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// One side's conditioning of a family whose prompts are one sequence, `embeds` [1, T, D] of its
/// own memory, which is recorded as `key`.
[[nodiscard]] std::shared_ptr<const tensor::Conditioning> encodedSide(
    const tensor::Record& record,
    const ConditioningStatement& stated,
    const at::Tensor& embeds,
    const std::string& text,
    const char* key);

/// The tensor of a conditioning's one prompt that the denoiser of `checkpoint` wants.
/// Error{InvalidInput} on port `item` when there is none, or of another width.
[[nodiscard]] at::Tensor fieldIn(const tensor::Conditioning& conditioning,
                                 const tensor::ConditioningField& wanted,
                                 const char* item,
                                 std::string_view checkpoint);

}  // namespace lowtide::models
