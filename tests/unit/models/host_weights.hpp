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

}  // namespace lowtide::testing
