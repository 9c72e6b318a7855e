#include "plugin/models/precision/finite_result.hpp"

#include "plugin/nn/result_checks.hpp"
#include "plugin/tensor/finite.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {

FiniteResult::FiniteResult(StageContext& context,
                           const StageCall& call,
                           const memory::ComponentTree& network)
    : context_(context), call_(call), network_(network) {}

at::Tensor FiniteResult::of(const std::function<at::Tensor(StageContext&)>& run) {
    if (context_.exact.empty()) {
        return run(context_);
    }
    ResultChecks* const checks = context_.finite;
    StageContext own = context_;
    own.finite = nullptr;  // a first result that is computed again is nobody's fault
    if (isExact_) {
        own.typed = context_.exact;
    }
    at::Tensor result = run(own);
    bool isFinite = tensor::isFiniteSum(tensor::finiteSum(result));
    if (!isFinite && !isExact_) {
        checks->requireFiniteInputs();
        isExact_ = true;
        call_.issue({.severity = Severity::Warning,
                     .code = "precision_retry",
                     .node = call_.node,
                     .item = "precision",
                     .message = "the autoencoder gave values that are not finite in half "
                                "precision; it computes them once more in f32",
                     .hint = "choose the precision quality, or compute=f32, for this node"});
        own.typed = context_.exact;
        result = run(own);
        isFinite = tensor::isFiniteSum(tensor::finiteSum(result));
    }
    if (!isFinite) {
        checks->refuse(network_, DType::F32);
    }
    checks->note(network_, result, {});
    return result;
}

void FiniteResult::describe(tensor::Provenance& provenance, const char* field) const {
    if (isExact_) {
        provenance.set(field, "f32 after an overflow");
    }
}

}  // namespace lowtide::models
