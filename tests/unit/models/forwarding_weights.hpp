#pragma once

#include "plugin/residency/weight_source.hpp"

namespace lowtide::testing {

/// Asks another source for everything: base of tests that look at what is asked.
class ForwardingWeights : public residency::WeightSource {
public:
    explicit ForwardingWeights(residency::WeightSource& real) : real_(real) {}

    void beginForward(const memory::ComponentTree& tree, const memory::ForwardHint& hint) override {
        real_.beginForward(tree, hint);
    }

    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override {
        return real_.use(tree, leaf);
    }

    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids) override {
        return real_.gatherRows(tree, leaf, ids);
    }

    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree& tree) override {
        return real_.torchDeviceOf(tree);
    }

    [[nodiscard]] at::Tensor runForward(const memory::ComponentTree& tree,
                                        const residency::ForwardInputs& inputs,
                                        const residency::ForwardWork& work) override {
        return real_.runForward(tree, inputs, work);
    }

    void finishCompute(const memory::ComponentTree& tree) override { real_.finishCompute(tree); }

    [[nodiscard]] const StopToken& stop() const noexcept override { return real_.stop(); }

protected:
    residency::WeightSource& real_;
};

}  // namespace lowtide::testing
