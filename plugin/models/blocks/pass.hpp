#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/tensor/recorder.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::models {

/// The way from the forwards of one component to its weights. Polls cancel before every leaf.
class Pass {
public:
    Pass(residency::WeightSource& weights, const memory::ComponentTree& tree, tensor::Record record)
        : weights_(weights), tree_(tree), record_(record) {}

    /// One forward of the network begins.
    void begin(const memory::PassHint& hint = {}) { weights_.beginPass(tree_, hint); }

    [[nodiscard]] residency::Lease use(memory::LeafId leaf) {
        weights_.stop().throwIfStopped();
        return weights_.use(tree_, leaf);
    }

    [[nodiscard]] at::Tensor gatherRows(memory::LeafId leaf, const at::Tensor& ids) {
        weights_.stop().throwIfStopped();
        return weights_.gatherRows(tree_, leaf, ids);
    }

    /// WeightSource::patchEpoch() of the component.
    [[nodiscard]] uint64_t patchEpoch() const { return weights_.patchEpoch(tree_); }

    [[nodiscard]] c10::Device device() { return weights_.torchDeviceOf(tree_); }

    [[nodiscard]] const tensor::Record& record() const { return record_; }

private:
    residency::WeightSource& weights_;
    const memory::ComponentTree& tree_;
    tensor::Record record_;
};

}  // namespace lowtide::models
