#include "plugin/models/precision/finite_result.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

/// A sum of pictures or latents is finite where they are: f32 holds 1e33 of the largest half.
bool isFinite(const at::Tensor& value) {
    return std::isfinite(tensor::scalar(value.sum()));
}

}  // namespace

FiniteResult::FiniteResult(StageContext& context, const StageCall& call)
    : context_(context), call_(call) {}

at::Tensor FiniteResult::of(const std::function<at::Tensor(StageContext&)>& run) {
    if (context_.exact.empty()) {
        return run(context_);
    }
    if (!isExact_) {
        at::Tensor result = run(context_);
        if (isFinite(result)) {
            return result;
        }
        isExact_ = true;
        call_.issue({.severity = Severity::Warning,
                     .code = "precision_retry",
                     .node = call_.node,
                     .item = "precision",
                     .message = "the autoencoder gave values that are not finite in half "
                                "precision; it computes them once more in f32",
                     .hint = "choose the precision quality, or compute=f32, for this node"});
    }
    StageContext exact = context_;
    exact.typed = context_.exact;
    at::Tensor result = run(exact);
    if (!isFinite(result)) {
        throw Error(ErrorKind::InvalidInput,
                    "the autoencoder gives values that are not finite, in f32 too",
                    "choose the storage f32 for this node; where that does not help, the latent "
                    "or the checkpoint is damaged",
                    "precision");
    }
    return result;
}

void FiniteResult::describe(tensor::Provenance& provenance, const char* field) const {
    if (isExact_) {
        provenance.set(field, "f32 after an overflow");
    }
}

}  // namespace lowtide::models
