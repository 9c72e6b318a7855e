#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/access_pattern.hpp"
#include "plugin/residency/lease.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::residency {

/// What changes between passes over a network; undefined ones stay undefined.
using PassInputs = std::vector<at::Tensor>;
/// One pass: its result depends on its inputs and the component's weights alone.
using PassWork = std::function<at::Tensor(const PassInputs&)>;

/// The way from a network to its weights: the residency, or a walk that needs shapes only.
class WeightSource {
public:
    virtual ~WeightSource() = default;

    /// One forward of the network begins: what its leaves are needed for comes again in the order
    /// of the last one. A hint: it changes time only.
    virtual void beginPass(const memory::ComponentTree& tree, const memory::PassHint& hint) = 0;
    /// The weights of one leaf where the running node computes with it. Right for any call order:
    /// resident, on its way, never seen, repeated. Errors: OutOfMemory, Cancelled, Corrupt (the
    /// file changed or cannot be read).
    [[nodiscard]] virtual Lease use(const memory::ComponentTree& tree, memory::LeafId leaf) = 0;
    /// Rows `ids` (int64, CPU, any shape) of a gathered leaf's one weight: [..., columns] on the
    /// node's device.
    [[nodiscard]] virtual at::Tensor gatherRows(const memory::ComponentTree& tree,
                                                memory::LeafId leaf,
                                                const at::Tensor& ids) = 0;
    /// Where tensors of the running node live that are computed with this component.
    [[nodiscard]] virtual c10::Device torchDeviceOf(const memory::ComponentTree& tree) = 0;

    /// `work` on `inputs`. A source may do an earlier pass of the same shapes again in its place,
    /// with the same bits; what `work` does on the host is then left out.
    [[nodiscard]] virtual at::Tensor runPass(const memory::ComponentTree& /*tree*/,
                                             const PassInputs& inputs,
                                             const PassWork& work) {
        return work(inputs);
    }

    /// The host waits until the device has done what it was given with this component: progress is
    /// told of what is done, and a cancel has no more than that to wait for.
    virtual void finishCompute(const memory::ComponentTree& /*tree*/) {}

    /// The cancel token of the run.
    [[nodiscard]] virtual const StopToken& stop() const noexcept = 0;
};

}  // namespace lowtide::residency
