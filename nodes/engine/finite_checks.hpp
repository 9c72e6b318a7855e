#pragma once
// Whether what a stage and its networks give is finite; what is not is blamed, or computed again in
// f32.

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::nodes {

/// Code of the issue where values are not finite. Its facts name what is known of `stage`,
/// `component`, `compute`, `storage`, `step`, `steps` and `port`.
inline constexpr const char* kNotFiniteCode = "not_finite";

/// Whether what the components of one stage give is finite. Sums are taken where results lie and
/// remain there until somebody looks, which is a host wait for each device. In a dry run the same
/// tensors are made and nothing is fetched. Run thread.
class FiniteChecks final : public models::ResultChecks {
public:
    /// `precisions`: of the components that the stage runs. `isDryRun`: what is no shape then lies
    /// elsewhere and has no values. What is given must outlive it.
    FiniteChecks(const Stage& stage,
                 const std::vector<memory::ComponentPrecision>& precisions,
                 bool isDryRun);

    /// Takes the sum of what a component gave. `network` may be typed or not.
    void note(const memory::ComponentTree& network,
              const at::Tensor& result,
              const models::NotedStep& step) override;
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
    [[noreturn]] void refuse(const std::string& role,
                             DType compute,
                             const models::NotedStep& step) const;
    [[noreturn]] void refuseResult() const;
    [[nodiscard]] const memory::ComponentPrecision& precisionOf(const std::string& role) const;
    [[nodiscard]] std::string portOf(const std::string& role) const;

    const Stage& stage_;
    const std::vector<memory::ComponentPrecision>& precisions_;
    const bool isDryRun_;
    std::vector<Noted> noted_;  ///< in the order in which they were first to give something
};

/// Fields of an image's metadata: which way of the autoencoder was computed again.
inline constexpr const char* kEncodeField = "VAE encode precision";
inline constexpr const char* kDecodeField = "VAE precision";

/// Results of an autoencoder in half precision, which may overflow: each is looked at, a host wait,
/// and the first one that is not finite is computed again in f32, as is all that follows. That is
/// reported once. Where StageContext::exact has none they are noted like those of other networks.
class FiniteResult {
public:
    /// `network` as it was opened. What is given must outlive it.
    FiniteResult(models::StageContext& context,
                 const StageCall& call,
                 const memory::ComponentTree& network);

    /// `run` with the stage's networks. Errors of FiniteChecks: where what comes in is not finite,
    /// and where the result is not finite in f32 either.
    [[nodiscard]] at::Tensor of(const std::function<at::Tensor(models::StageContext&)>& run);
    /// States so in `field` of an image's metadata where something was computed again.
    void describe(tensor::Provenance& provenance, const char* field) const;

private:
    models::StageContext& context_;
    const StageCall& call_;
    const memory::ComponentTree& network_;
    bool isExact_ = false;  ///< from now on
};

}  // namespace lowtide::nodes
