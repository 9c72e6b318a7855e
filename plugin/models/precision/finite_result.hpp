#pragma once

#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/stage_context.hpp"

#include <functional>

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::models {

/// Fields of a picture's metadata: which way of the autoencoder was computed again.
inline constexpr const char* kEncodeField = "VAE encode precision";
inline constexpr const char* kDecodeField = "VAE precision";

/// Results of an autoencoder in half precision, which may overflow: each is looked at, a host wait,
/// and the first one that is not finite is computed again in f32, as is all that follows. That is
/// told once. Where StageContext::exact has none they are noted like those of other networks.
class FiniteResult {
public:
    /// `network` as it was opened. What is given must outlive it.
    FiniteResult(StageContext& context,
                 const StageCall& call,
                 const memory::ComponentTree& network);

    /// `run` with the stage's networks. Errors of FiniteChecks: where what comes in is not finite,
    /// and where the result is not finite in f32 either.
    [[nodiscard]] at::Tensor of(const std::function<at::Tensor(StageContext&)>& run);
    /// Says so in `field` of a picture's metadata where something was computed again.
    void describe(tensor::Provenance& provenance, const char* field) const;

private:
    StageContext& context_;
    const StageCall& call_;
    const memory::ComponentTree& network_;
    bool isExact_ = false;  ///< from now on
};

}  // namespace lowtide::models
