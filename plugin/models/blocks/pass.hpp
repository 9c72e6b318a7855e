#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/recorder.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::models {

/// One forward pass of one component: the way to its weights. Polls cancel before every leaf.
class Pass {
public:
    Pass(residency::Residency& residency, const memory::ComponentTree& tree, tensor::Record record)
        : residency_(residency), tree_(tree), record_(record) {}

    [[nodiscard]] residency::Lease use(memory::LeafId leaf) {
        residency_.stop().throwIfStopped();
        return residency_.use(tree_, leaf);
    }

    [[nodiscard]] at::Tensor gatherRows(memory::LeafId leaf, const at::Tensor& ids) {
        residency_.stop().throwIfStopped();
        return residency_.gatherRows(tree_, leaf, ids);
    }

    [[nodiscard]] c10::Device device() { return residency_.deviceOf(tree_).torchDevice(); }

    [[nodiscard]] const tensor::Record& record() const { return record_; }

private:
    residency::Residency& residency_;
    const memory::ComponentTree& tree_;
    tensor::Record record_;
};

}  // namespace lowtide::models
