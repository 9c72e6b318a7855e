#pragma once
// Stages that go over shapes alone in place of a run, and forwards of networks as a stage asks for
// them on either way.

#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/walk_meter.hpp"

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

/// What a pass that is known already does in place of its forward.
struct PassedOver {
    memory::PassHint hint{};
    /// Gets what takes the pass's bytes for a moment; empty: that alone.
    std::function<void(const std::function<void()>&)> around{};
    /// Of a component elsewhere: its results are not brought to the stage's device.
    bool staysThere = false;
};

/// Weights that are shapes alone: a stage that runs on it takes its way through the networks, and
/// no file is opened. Counts the bytes of tensors as the imitated device would hold them, and
/// writes down passes and leases. Run thread; one at a time; only the making of tensors with real
/// values (noise, schedules) takes time.
class ShapeWalk final : public residency::WeightSource {
public:
    /// `trees` are the components that the stage may use. `math`: of their changes; must outlive
    /// the walk.
    ShapeWalk(const memory::StagePlace& place,
              std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
              const residency::ChangeMath& math);

    void beginPass(const memory::ComponentTree& tree, const memory::PassHint& hint) override;
    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override;
    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids) override;

    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree&) override {
        return c10::kMeta;
    }

    /// On a CUDA card with what a record keeps beside the pass: its inputs and its result.
    [[nodiscard]] at::Tensor runPass(const memory::ComponentTree& tree,
                                     const residency::PassInputs& inputs,
                                     const residency::PassWork& work) override;

    [[nodiscard]] const StopToken& stop() const noexcept override { return stop_; }

    /// A tensor of f32 that lies on a wire already: it counts nothing.
    [[nodiscard]] static at::Tensor onWire(at::IntArrayRef sizes);
    /// One of f32 on a wire of another device: it counts where it is taken over (tensor::upload).
    /// Its values are never read.
    [[nodiscard]] static at::Tensor elsewhere(at::IntArrayRef sizes);
    /// One forward of the tree over inputs of `sizes`, a pass or several. The first one of a size
    /// runs; later ones take the same bytes for a moment, count as its passes and give results of
    /// the same shapes, f32.
    [[nodiscard]] std::vector<at::Tensor> passOver(
        const memory::ComponentTree& tree,
        at::IntArrayRef sizes,
        const std::function<std::vector<at::Tensor>()>& forward,
        const PassedOver& passed = {});

    /// Does `work` where the component computes: what it makes there counts there.
    void onDeviceOf(const memory::ComponentTree& tree, const std::function<void()>& work);

    /// Runs `pass`, which may happen in place of the next one: what it takes counts, the pass does
    /// not.
    void tryPass(const memory::ComponentTree& tree, const std::function<at::Tensor()>& pass);

    /// What was seen so far. The pass of a component is its longest one of pattern 0, likewise for
    /// other patterns; the operations of a leaf are the mean over the passes that are like it.
    [[nodiscard]] memory::StageWork work();

private:
    /// A pass as it happened.
    struct Happened {
        size_t pass = 0;  ///< index into Component::passes
        memory::PassHint hint;
    };

    /// A forward that was walked, its passes and what it takes while it lasts.
    struct KnownForward {
        std::vector<int64_t> sizes;
        std::vector<std::vector<int64_t>> resultSizes;
        Bytes bytes = 0;
        Bytes hostBytes = 0;
        std::vector<Happened> passes;
    };

    struct Component {
        std::shared_ptr<const memory::ComponentTree> tree;
        std::vector<memory::AccessPattern> passes;
        std::vector<Happened> order;
        std::vector<KnownForward> known;
    };

    [[nodiscard]] bool isElsewhere(const memory::ComponentTree& tree) const;
    [[nodiscard]] at::Tensor decodedAndChanged(const memory::ComponentTree& tree,
                                               const memory::Weight& weight);
    [[nodiscard]] at::Tensor rowsOnHost(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids);
    void changeLeaf(const memory::ComponentTree& tree, memory::LeafId leaf);
    [[nodiscard]] Component& component(const memory::ComponentTree& tree);
    [[nodiscard]] static memory::AccessPattern patternOf(const Component& component,
                                                         uint32_t pattern);
    void closeLeaf() noexcept;

    tensor::WalkMeter meter_;
    std::map<std::string, memory::StageDevice, std::less<>> rolesElsewhere_;
    const residency::ChangeMath& math_;
    StopToken stop_;

    /// Component and number of passes, until another component's.
    struct Turn {
        const Component* component;
        int64_t passes;
    };

    /// The pass, with its results where the component computes.
    [[nodiscard]] std::vector<at::Tensor> passThere(
        Component& own,
        at::IntArrayRef sizes,
        const std::function<std::vector<at::Tensor>()>& forward,
        const PassedOver& passed);
    void noteTurn(const Component& component);
    [[nodiscard]] std::vector<memory::ComponentTurn> turns(const memory::StageWork& work) const;

    std::vector<Component> components_;
    std::vector<Turn> turns_;
    memory::LeafUse* open_ = nullptr;  ///< the leaf leased last
    double flopsBefore_ = 0;           ///< that lease
};

/// `forward` of a network (as it was opened) over an input of `sizes`; a walk takes the first one
/// of a size. The stage's FiniteChecks note the result.
[[nodiscard]] at::Tensor passOver(StageContext& context,
                                  const memory::ComponentTree& network,
                                  at::IntArrayRef sizes,
                                  const std::function<at::Tensor()>& forward);
/// The same with several results, contiguous f32; `tree` as the stage has it, `passed` as the pass
/// begins, `walk` null: it runs.
[[nodiscard]] std::vector<at::Tensor> passOver(
    ShapeWalk* walk,
    const memory::ComponentTree& tree,
    at::IntArrayRef sizes,
    const PassedOver& passed,
    const std::function<std::vector<at::Tensor>()>& forward);

/// Does `work`, which makes tensors on the device of the component.
void onDeviceOf(ShapeWalk* walk,
                const memory::ComponentTree& tree,
                const std::function<void()>& work);

/// `forward` of a denoiser in one step over an input of `sizes`, latents and whatever else its pass
/// depends on; in a walk every step but the first of its kind takes what the first took. `tree` and
/// `walk` as above; `forward` gets the step that it does.
[[nodiscard]] at::Tensor stepOver(
    ShapeWalk* walk,
    const memory::ComponentTree& tree,
    const at::Tensor& latents,
    at::IntArrayRef sizes,
    const sampling::StepInfo& step,
    const std::function<at::Tensor(const sampling::StepInfo&)>& forward);

}  // namespace lowtide::models
