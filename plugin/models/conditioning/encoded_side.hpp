#pragma once

#include "plugin/models/conditioning/conditioning_statement.hpp"
#include "plugin/tensor/recorder.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// One side's conditioning of a family whose prompts are one sequence, `embeds` [1, T, D] of its
/// own memory, which is recorded as `key`.
[[nodiscard]] inline std::shared_ptr<const tensor::Conditioning> encodedSide(
    const tensor::Record& record,
    const ConditioningStatement& stated,
    const at::Tensor& embeds,
    const std::string& text,
    const char* key) {
    record.put(key, embeds);
    return std::make_shared<const tensor::Conditioning>(
        stated.fields,
        std::vector<tensor::ConditioningEntry>{{.tensors = {{tensor::kEmbeds, embeds}}}},
        text,
        /*clipSkip=*/-1);
}

}  // namespace lowtide::models
