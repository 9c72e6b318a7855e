#pragma once

#include "plugin/models/model.hpp"
#include "plugin/models/stage_requests.hpp"

#include <functional>
#include <memory>

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::models {

/// Fields of a picture's metadata: which way of the autoencoder was computed again.
inline constexpr const char* kEncodeField = "VAE encode precision";
inline constexpr const char* kDecodeField = "VAE precision";

/// Results of an autoencoder in half precision, which may overflow: each is looked at, a host wait,
/// and the first one that is not finite is computed again in f32, as is all that follows. That is
/// told once. In f32 nothing is looked at.
class FiniteResult {
public:
    /// `model` and `call` must outlive it.
    FiniteResult(const Model& model, const StageCall& call);

    /// `run` with the model. Error{InvalidInput} where the result is not finite in f32 either.
    [[nodiscard]] at::Tensor of(const std::function<at::Tensor(const Model&)>& run);
    /// Says so in `field` of a picture's metadata where something was computed again.
    void describe(tensor::Provenance& provenance, const char* field) const;

private:
    const Model& model_;
    const StageCall& call_;
    std::shared_ptr<const Model> exact_;  ///< null: nothing is checked
    bool isExact_ = false;                ///< from now on
};

}  // namespace lowtide::models
