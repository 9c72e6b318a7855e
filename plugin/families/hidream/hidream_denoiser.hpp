#pragma once

#include "plugin/families/hidream/hidream_transformer.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// Names of the sequences that HiDream's prompts hold beside a vector.
inline constexpr const char* kT5Field = "t5";
inline constexpr const char* kLanguageField = "llama";

/// The transformer with its conditioning, for one execution of one node.
class HiDreamDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer. Records what it reads.
    HiDreamDenoiser(StageContext& context,
                    const HiDreamTransformer& transformer,
                    const DenoiserRequest& request);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    /// One side's fields where the transformer computes, for each picture of the batch.
    [[nodiscard]] HiDreamInputs sideOf(StageContext& context,
                                       const DenoiserRequest& request,
                                       const tensor::Conditioning& conditioning,
                                       const char* item,
                                       const char* recorded) const;

    const HiDreamTransformer& transformer_;
    mutable Pass pass_;
    ShapeWalk* walk_;
    HiDreamInputs inputs_;
};

}  // namespace lowtide::models
