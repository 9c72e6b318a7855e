#pragma once
// What a stage works with: the way to weights, the types of its networks, the recorder, and who
// looks at results.

#include "plugin/base/units.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/sampling/teacher_forcing.hpp"
#include "plugin/tensor/recorder.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// A call of a network that is one of several.
struct NotedStep {
    int step = 0;
    int steps = 1;
};

/// Looks at what the networks of a stage give. Run thread.
class ResultChecks {
public:
    virtual ~ResultChecks() = default;

    /// Takes what a network gave, typed or not; looks at it later.
    virtual void note(const memory::ComponentTree& network,
                      const at::Tensor& result,
                      const NotedStep& step) = 0;
    /// Looks at everything that was noted, and at `results`. Throws what is wrong with them.
    virtual void look(std::span<const at::Tensor> results) = 0;
    /// Throws where an input of the stage is at fault.
    virtual void requireFiniteInputs() const = 0;
    /// Throws that a network gave what is wrong, computed in `compute`.
    [[noreturn]] virtual void refuse(const memory::ComponentTree& network, DType compute) const = 0;
};

/// The denoising pass that hints and images accompany.
struct SpareCalls {
    Shape latents;          ///< [B, C, h, w]
    int64_t factor = 8;     ///< pixels of an image for one of the latent, along a side
    bool isGuided = false;  ///< its calls have two halves
    int count = 0;          ///< of calls
};

class ModelHashes;
class ResultChecks;
class DryRun;

/// A network as a stage stores and computes it.
struct TypedNetwork {
    std::shared_ptr<const memory::ComponentTree> tree;
    DType compute = DType::F32;
    memory::SwitchStates switches{};  ///< of LibTorch, while it runs
};

/// Networks by the ids of their weights.
using TypedNetworks = std::map<std::string, TypedNetwork, std::less<>>;

/// What a stage works with: the way to weights, the types of its networks, and the recorder.
struct StageContext {
    residency::WeightSource& weights;
    tensor::Record record;
    /// The networks of the stage; others are as they were opened, in f32.
    TypedNetworks typed{};
    /// Those whose results must be finite, computed in f32: in place of `typed` once one is not.
    TypedNetworks exact{};
    /// The hint with which forwards of networks without steps begin: for a stage whose forwards of
    /// one network use other leaves of it.
    memory::ForwardHint forward{};
    /// A run that denoisers go along (sampling::TeacherForcing); null: they go their own way.
    const tensor::RecordedTensors* teacher = nullptr;
    PreviewPace previewPace{};
    ModelHashes* hashes = nullptr;   ///< of the weights that images and step caches name
    DryRun* dryRun = nullptr;        ///< the stage goes over shapes alone; null: it runs
    ResultChecks* finite = nullptr;  ///< of what its networks give; null: nobody looks

    /// The network in the stage's types; `network` is as it was opened.
    [[nodiscard]] const memory::ComponentTree& treeOf(const memory::ComponentTree& network) const;
    [[nodiscard]] DType computeOf(const memory::ComponentTree& network) const;
    [[nodiscard]] memory::SwitchStates switchesOf(const memory::ComponentTree& network) const;

    /// Where tensors live that are computed with it.
    [[nodiscard]] c10::Device deviceOf(const memory::ComponentTree& network) const {
        return weights.torchDeviceOf(treeOf(network));
    }

    /// For a part of the stage that is not recorded by itself.
    [[nodiscard]] StageContext ofPart() const {
        return {.weights = weights,
                .record = tensor::Record(nullptr),
                .typed = typed,
                .exact = exact,
                .dryRun = dryRun,
                .finite = finite};
    }

private:
    [[nodiscard]] const TypedNetwork* typedOf(const memory::ComponentTree& network) const;
};

/// ResultChecks::note() of the stage, if there are any.
void noteFinite(StageContext& context,
                const memory::ComponentTree& network,
                const at::Tensor& result);
/// ResultChecks::look() at all that was noted and at `result`, likewise.
void requireFinite(StageContext& context, const at::Tensor& result);

/// The calls that `node` made in the recorded run. Error{InvalidInput} when it made none, or other
/// than f32 ones.
[[nodiscard]] std::shared_ptr<const sampling::RecordedRun> recordedRunOf(
    const tensor::RecordedTensors& recorded, const std::string& node);

}  // namespace lowtide::models
