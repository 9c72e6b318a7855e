#pragma once
// Stages that go over shapes alone in place of a run, and forwards of networks as a stage asks for
// them on either way.

#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/dry_run_meter.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct Weight;
}

namespace lowtide::models {

/// What a known forward does instead of running.
struct SkippedForward {
    memory::ForwardHint hint{};
    /// Gets what takes the forward's bytes for a moment; empty: that alone.
    std::function<void(const std::function<void()>&)> around{};
    /// Of a component elsewhere: its results are not brought to the stage's device.
    bool isLeftThere = false;
};

/// Weights that are shapes alone: a stage that runs on it takes its way through the networks, and
/// no file is opened. Counts the bytes of tensors as the imitated device would hold them, and
/// records forwards and leases. Run thread; one at a time; only the making of tensors with real
/// values (noise, schedules) takes time.
class DryRun final : public residency::WeightSource {
public:
    /// `trees` are the components that the stage may use. `math`: of their deltas; must outlive
    /// the dry run.
    DryRun(const memory::StageDevices& devices,
           std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
           const residency::DeltaMath& math);

    void beginForward(const memory::ComponentTree& tree, const memory::ForwardHint& hint) override;
    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override;
    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids) override;

    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree&) override {
        return c10::kMeta;
    }

    /// On a CUDA GPU with what a recorded forward keeps allocated: its inputs and its result.
    [[nodiscard]] at::Tensor runForward(const memory::ComponentTree& tree,
                                        const residency::ForwardInputs& inputs,
                                        const residency::ForwardWork& work) override;

    [[nodiscard]] const StopToken& stop() const noexcept override { return stop_; }

    /// A tensor of f32 that lies on a wire already: it counts nothing.
    [[nodiscard]] static at::Tensor onWire(at::IntArrayRef sizes);
    /// One of f32 on a wire of another device: it counts where it is taken over (tensor::upload).
    /// Its values are never read.
    [[nodiscard]] static at::Tensor elsewhere(at::IntArrayRef sizes);
    /// One evaluation of the tree over inputs of `sizes`, of one forward or several. The first one
    /// of a size runs; later ones take the same bytes for a moment, count as many forwards and give
    /// results of the same shapes, f32.
    [[nodiscard]] std::vector<at::Tensor> skipForward(
        const memory::ComponentTree& tree,
        at::IntArrayRef sizes,
        const std::function<std::vector<at::Tensor>()>& forward,
        const SkippedForward& passed = {});

    /// Does `work` where the component computes: what it makes there counts there.
    void onDeviceOf(const memory::ComponentTree& tree, const std::function<void()>& work);

    /// Runs `forwardPass`, which may happen in place of the next one: its memory counts, the
    /// forward does not.
    void tryForward(const memory::ComponentTree& tree,
                    const std::function<at::Tensor()>& forwardPass);

    /// What was recorded so far. The pattern of a component is its longest forward of pattern 0,
    /// likewise for other patterns; the operations of a leaf are the mean over the forwards that
    /// are like it.
    [[nodiscard]] memory::StageWork work();

private:
    /// A forward as it happened.
    struct Happened {
        size_t forwardPass = 0;  ///< index into Component::forwards
        memory::ForwardHint hint;
    };

    /// A forward that is known, the calls of beginForward() in it and what it takes while it lasts.
    struct KnownForward {
        std::vector<int64_t> sizes;
        std::vector<std::vector<int64_t>> resultSizes;
        Bytes bytes = 0;
        Bytes hostBytes = 0;
        std::vector<Happened> forwards;
    };

    struct Component {
        std::shared_ptr<const memory::ComponentTree> tree;
        std::vector<memory::AccessPattern> forwards;
        std::vector<Happened> order;
        std::vector<KnownForward> known;
    };

    [[nodiscard]] bool isElsewhere(const memory::ComponentTree& tree) const;
    [[nodiscard]] at::Tensor decodedAndAdapted(const memory::ComponentTree& tree,
                                               const memory::Weight& weight);
    [[nodiscard]] at::Tensor rowsOnHost(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids);
    void adaptLeaf(const memory::ComponentTree& tree, memory::LeafId leaf);
    [[nodiscard]] Component& component(const memory::ComponentTree& tree);
    [[nodiscard]] static memory::AccessPattern patternOf(const Component& component,
                                                         uint32_t pattern);
    void closeLeaf() noexcept;

    tensor::DryRunMeter meter_;
    std::map<std::string, memory::StageDevice, std::less<>> rolesElsewhere_;
    const residency::DeltaMath& math_;
    StopToken stop_;

    /// Component and number of forwards, until another component's.
    struct Burst {
        const Component* component;
        int64_t forwards;
    };

    /// The forward, with its results where the component computes.
    [[nodiscard]] std::vector<at::Tensor> forwardThere(
        Component& own,
        at::IntArrayRef sizes,
        const std::function<std::vector<at::Tensor>()>& forward,
        const SkippedForward& passed);
    void noteBurst(const Component& component);
    [[nodiscard]] std::vector<memory::ComponentBurst> bursts(const memory::StageWork& work) const;

    std::vector<Component> components_;
    std::vector<Burst> bursts_;
    memory::LeafUse* open_ = nullptr;  ///< the leaf leased last
    double flopsBefore_ = 0;           ///< that lease
};

/// `forward` of a network (as it was opened) over an input of `sizes`; a dry run takes the first
/// one of a size. The stage's FiniteChecks note the result.
[[nodiscard]] at::Tensor skipForward(StageContext& context,
                                     const memory::ComponentTree& network,
                                     at::IntArrayRef sizes,
                                     const std::function<at::Tensor()>& forward);
/// The same with several results, contiguous f32; `tree` as the stage has it, `passed` as the
/// forward begins, `dryRun` null: it runs.
[[nodiscard]] std::vector<at::Tensor> skipForward(
    DryRun* dryRun,
    const memory::ComponentTree& tree,
    at::IntArrayRef sizes,
    const SkippedForward& passed,
    const std::function<std::vector<at::Tensor>()>& forward);

/// Does `work`, which makes tensors on the device of the component.
void onDeviceOf(DryRun* dryRun,
                const memory::ComponentTree& tree,
                const std::function<void()>& work);

/// `forward` of a denoiser in one step over an input of `sizes`, latents and whatever else its
/// forward depends on; in a dry run every step but the first of its kind takes what the first took.
/// `tree` and `dryRun` as above; `forward` gets the step that it does.
[[nodiscard]] at::Tensor stepOver(
    DryRun* dryRun,
    const memory::ComponentTree& tree,
    const at::Tensor& latents,
    at::IntArrayRef sizes,
    const sampling::StepInfo& step,
    const std::function<at::Tensor(const sampling::StepInfo&)>& forward);

}  // namespace lowtide::models
