#pragma once
// The way from the forwards of one component to its weights, and what a step's forward reports to
// residency.

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/recorder.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::models {

/// The way from the forwards of one component to its weights. Polls cancel before every leaf.
class Forward {
public:
    Forward(residency::WeightSource& weights,
            const memory::ComponentTree& tree,
            tensor::Record record)
        : weights_(weights), tree_(tree), record_(record) {}

    /// `network`: as it was opened; it is stored and computed in the stage's types.
    Forward(StageContext& context, const memory::ComponentTree& network)
        : weights_(context.weights),
          tree_(context.treeOf(network)),
          record_(context.record),
          compute_(residency::scalarTypeOf(context.computeOf(network))),
          hint_(context.forward) {}

    /// One forward of the network begins, with what the stage states about it.
    void begin() { begin(hint_); }

    void begin(const memory::ForwardHint& hint) { weights_.beginForward(tree_, hint); }

    [[nodiscard]] residency::Lease use(memory::LeafId leaf) {
        weights_.stop().throwIfStopped();
        return weights_.use(tree_, leaf);
    }

    [[nodiscard]] at::Tensor gatherRows(memory::LeafId leaf, const at::Tensor& ids) {
        weights_.stop().throwIfStopped();
        return weights_.gatherRows(tree_, leaf, ids);
    }

    /// WeightSource::runForward() of the component.
    [[nodiscard]] at::Tensor run(const residency::ForwardInputs& inputs,
                                 const residency::ForwardWork& work) {
        return weights_.runForward(tree_, inputs, work);
    }

    /// Of the component in its types, with its deltas.
    [[nodiscard]] const memory::ComponentTree& tree() const { return tree_; }

    /// What goes into the network, in the type in which it computes; undefined remains so.
    [[nodiscard]] at::Tensor toCompute(const at::Tensor& value) const {
        return value.defined() ? value.to(compute_) : value;
    }

    /// Type in which the products of a leaf are computed: another one where it is kept in f32.
    [[nodiscard]] at::ScalarType productType(memory::LeafId leaf) const {
        return residency::scalarTypeOf(
            tree_.weights[tree_.leaves[leaf].weights.front()].computeType);
    }

    [[nodiscard]] c10::Device device() { return weights_.torchDeviceOf(tree_); }

    [[nodiscard]] const tensor::Record& record() const { return record_; }

private:
    residency::WeightSource& weights_;
    const memory::ComponentTree& tree_;
    tensor::Record record_;
    at::ScalarType compute_ = at::kFloat;
    memory::ForwardHint hint_{};
};

/// The access patterns of a network with a step cache: a full step's and a partial step's.
inline constexpr uint32_t kFullPattern = 0;
inline constexpr uint32_t kPartialPattern = 1;

/// The hint that an evaluation of `step` that was granted `work` gives to residency.
[[nodiscard]] inline memory::ForwardHint forwardHint(const sampling::StepInfo& step,
                                                     sampling::StepWork work) {
    const auto patternOf = [](sampling::StepWork each) {
        return each == sampling::StepWork::Partial ? kPartialPattern : kFullPattern;
    };
    return {.pattern = patternOf(work), .next = patternOf(step.decision.next)};
}

}  // namespace lowtide::models
