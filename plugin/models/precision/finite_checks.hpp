#pragma once

#include "plugin/memory/precision.hpp"
#include "plugin/models/stage_def.hpp"
#include "plugin/nn/result_checks.hpp"

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// Code of the issue where values are not finite. Its facts name what is known of `stage`,
/// `component`, `compute`, `storage`, `step`, `steps` and `port`.
inline constexpr const char* kNotFiniteCode = "not_finite";

/// Whether what the components of one stage give is finite. Sums are taken where results lie and
/// stay there until somebody looks, which is a host wait for each device. In a dry run the same
/// tensors are made and nothing is fetched. Run thread.
class FiniteChecks final : public ResultChecks {
public:
    /// `precisions`: of the components that the stage runs. `isDryRun`: what is no shape then lies
    /// elsewhere and has no values. What is given must outlive it.
    FiniteChecks(const StageTask& task,
                 const std::vector<memory::ComponentPrecision>& precisions,
                 bool isDryRun);

    /// Takes the sum of what a component gave. `network` may be typed or not.
    void note(const memory::ComponentTree& network,
              const at::Tensor& result,
              const NotedStep& step) override;
    /// Looks at everything that was noted, and at `results`. Throws an Error of kNotFiniteCode
    /// that blames, in this order: an input of the stage, the component that was first to give
    /// such values, the stage itself.
    void look(std::span<const at::Tensor> results) override;
    /// The same for what the stage gives.
    void look(const std::vector<WireRef>& results);
    /// Throws that Error where an input of the stage is not finite.
    void requireFiniteInputs() const override;
    /// Throws that Error for a component which computed in `compute`.
    [[noreturn]] void refuse(const memory::ComponentTree& network, DType compute) const override;

private:
    /// A component that gave something: sums [steps] of its results in each step.
    struct Noted {
        std::string role;
        at::Tensor sums;
    };

    [[nodiscard]] bool areFinite(std::span<const at::Tensor> results) const;
    void blame(std::span<const at::Tensor> results) const;
    void blameComponent() const;
    [[noreturn]] void refuse(const std::string& role, DType compute, const NotedStep& step) const;
    [[noreturn]] void refuseResult() const;
    [[nodiscard]] const memory::ComponentPrecision& precisionOf(const std::string& role) const;
    [[nodiscard]] std::string portOf(const std::string& role) const;

    const StageTask& task_;
    const std::vector<memory::ComponentPrecision>& precisions_;
    const bool isDryRun_;
    std::vector<Noted> noted_;  ///< in the order in which they were first to give something
};

}  // namespace lowtide::models
