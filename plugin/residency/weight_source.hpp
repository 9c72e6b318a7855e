#pragma once
// The way from a network to its weights, leases, and the mathematics of their deltas: what is
// supplied from outside.

#include "plugin/base/stop_token.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/stage_work.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::residency {

/// Permission to read the device weights of one leaf. The tensors are valid while the lease lives
/// and must not outlive it; destroying it records the last use and never waits. Move-only.
class Lease {
public:
    /// What the residency does when the lease ends.
    class Holder {
    public:
        virtual ~Holder() = default;
    };

    /// For weight sources. `holder` may be null.
    Lease(std::vector<at::Tensor> tensors, std::unique_ptr<Holder> holder);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    /// The leaf's `index`-th weight: its shape in the tree, compute type, on the node's device.
    [[nodiscard]] const at::Tensor& operator[](size_t index) const { return tensors_[index]; }

    [[nodiscard]] size_t size() const noexcept { return tensors_.size(); }

private:
    std::vector<at::Tensor> tensors_;
    std::unique_ptr<Holder> holder_;
};

/// A change with its factors, where the weight lies: in the order of WeightDelta::factors, each in
/// the type and shape of its file.
struct FactoredDelta {
    const memory::WeightDelta* delta = nullptr;
    std::vector<at::Tensor> factors;
};

/// Changes of one weight with what `factorOf` gives of each factor.
[[nodiscard]] std::vector<FactoredDelta> factored(
    std::span<const memory::WeightDelta* const> deltas,
    const std::function<at::Tensor(memory::WeightId)>& factorOf);

/// The mathematics of weight changes; the composition root supplies it. Its bits depend on what it
/// is given alone, and tensors without values (meta) take the memory that others would.
class DeltaMath {
public:
    virtual ~DeltaMath() = default;
    /// Applies all deltas of one weight, in their order. `weight`: f32, of its own shape,
    /// row-major or transposed (which gives other bits), from the begin of a line of the cache on;
    /// changed in place.
    virtual void apply(at::Tensor& weight, std::span<const FactoredDelta> deltas) const = 0;
    /// The same for rows `ids` (int64, flat, host) of a table of which `rows` (f32, [n, columns])
    /// are all that is there; factors lie on the host.
    virtual void applyToRows(at::Tensor& rows,
                             const at::Tensor& ids,
                             std::span<const FactoredDelta> deltas) const = 0;
};

/// What changes between forwards of a network; undefined ones remain undefined.
using ForwardInputs = std::vector<at::Tensor>;
/// One forward: its result depends on its inputs and the component's weights alone.
using ForwardWork = std::function<at::Tensor(const ForwardInputs&)>;

/// The way from a network to its weights: the residency, or a dry run that needs shapes only.
class WeightSource {
public:
    virtual ~WeightSource() = default;

    /// One forward of the network begins: what its leaves are needed for comes again in the order
    /// of the last one. A hint: it changes time only.
    virtual void beginForward(const memory::ComponentTree& tree,
                              const memory::ForwardHint& hint) = 0;
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

    /// `work` on `inputs`. A source may replay an earlier forward of the same shapes instead,
    /// with the same bits; what `work` does on the host is then left out.
    [[nodiscard]] virtual at::Tensor runForward(const memory::ComponentTree& /*tree*/,
                                                const ForwardInputs& inputs,
                                                const ForwardWork& work) {
        return work(inputs);
    }

    /// The host waits until the device has done what it was given with this component: progress is
    /// reported for what is done, and a cancel has no more than that to wait for.
    virtual void finishCompute(const memory::ComponentTree& /*tree*/) {}

    /// The cancel token of the run.
    [[nodiscard]] virtual const StopToken& stop() const noexcept = 0;
};

}  // namespace lowtide::residency
