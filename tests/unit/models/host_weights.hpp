#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/weight_source.hpp"

#include <algorithm>
#include <stdexcept>

namespace lowtide::testing {

/// Base of made-up weights on the CPU: no rows are gathered, nobody cancels.
class HostWeights : public residency::WeightSource {
public:
    void beginForward(const memory::ComponentTree&, const memory::ForwardHint&) override {}

    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree&,
                                        memory::LeafId,
                                        const at::Tensor&) override {
        throw std::runtime_error("the network under test gathers no rows");
    }

    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree&) override {
        return c10::kCPU;
    }

    [[nodiscard]] const StopToken& stop() const noexcept override { return stop_; }

protected:
    /// Of the largest storage: those of a block of which all weights are views.
    [[nodiscard]] static int64_t mostElements(const memory::ComponentTree& tree) {
        int64_t most = 0;
        for (const memory::Storage& storage : tree.storages) {
            most = std::max(most, storage.elementCount);
        }
        return most;
    }

private:
    StopToken stop_;
};

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
