#pragma once

#include "plugin/memory/access_pattern.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/preview_pace.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/tensor/recorder.hpp"
#include "plugin/tensor/recording_file.hpp"

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

class ModelHashes;
class ResultChecks;
class ShapeWalk;

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
    /// What passes of networks without steps say at their beginning: for a stage whose passes over
    /// one network use other leaves of it.
    memory::PassHint pass{};
    /// A run that denoisers go along (sampling::TeacherForcing); null: they go their own way.
    const tensor::RecordedTensors* teacher = nullptr;
    PreviewPace previewPace{};
    ModelHashes* hashes = nullptr;   ///< of the weights that pictures and step caches name
    ShapeWalk* walk = nullptr;       ///< the stage goes over shapes alone; null: it runs
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
                .walk = walk,
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

}  // namespace lowtide::models
