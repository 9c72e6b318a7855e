#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/second_expert.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace lowtide::models {

class ResultChecks;
struct StageContext;

/// A denoiser whose predictions are noted. They are looked at behind the calls 1, 2, 4, 8 ... of a
/// run: a bad one ends it before half of its time is lost, and few host waits are made.
class FiniteDenoiser final : public sampling::Denoiser {
public:
    /// `trees`: of the model's denoisers, of which `second` says where the second one is called.
    FiniteDenoiser(std::unique_ptr<sampling::Denoiser> denoiser,
                   ResultChecks& checks,
                   std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                   const std::optional<sampling::SecondExpert>& second);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;
    [[nodiscard]] uint64_t promptsAt(const at::Tensor& timestep,
                                     const sampling::StepInfo& step) const override;

private:
    std::unique_ptr<sampling::Denoiser> denoiser_;
    ResultChecks& checks_;
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees_;
    std::optional<sampling::SecondExpert> second_;
};

/// `denoiser` as a FiniteDenoiser of the stage; itself where nobody looks.
[[nodiscard]] std::unique_ptr<sampling::Denoiser> noted(
    StageContext& context,
    std::unique_ptr<sampling::Denoiser> denoiser,
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
    const std::optional<sampling::SecondExpert>& second);

}  // namespace lowtide::models
