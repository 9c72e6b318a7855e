#pragma once

#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/unit/models/dry_run_case.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>

namespace lowtide::testing {

/// A checkpoint and the run of one prompt in f32 as its file has it: 128 x 128 pixels, cfg 3.
/// Other runs go along it, so that errors do not mix with where they lead.
class ExactRun {
public:
    static constexpr int kSteps = 20;
    static constexpr const char* kPrecision = "quality,storage=file,compute=f32";

    /// "mini" or a golden checkpoint.
    explicit ExactRun(const std::string& checkpoint);

    /// What is reported about a run with this cache and precision, along the exact one: "mean",
    /// "worst", "errors" of the calls, "steps".
    Json measured(const std::shared_ptr<const sampling::StepCache>& cache,
                  const std::string& precision = kPrecision);

    /// The same of the denoiser of another file of these weights, decoded for each lease.
    Json measuredWith(const std::string& checkpoint);

    /// Whether the last run arrived where the exact one did.
    [[nodiscard]] bool hasArrived() const;

private:
    Json measured(const DenoiseRequest& request);
    nodes::WireRef run(const DenoiseRequest& request,
                       std::function<void(std::string_view, Json)> notify);

    ModelBench bench_;
    nodes::WireRef model_;
    DenoiseRequest request_;
    at::Tensor latents_;
    at::Tensor arrived_;
};

}  // namespace lowtide::testing
