#pragma once

#include "plugin/base/dtype.hpp"
#include "plugin/memory/access_pattern.hpp"
#include "plugin/models/preview_pace.hpp"
#include "plugin/residency/weight_source.hpp"
#include "plugin/tensor/recorder.hpp"
#include "plugin/tensor/recording_file.hpp"

#include <memory>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// A network in the types in which it is stored and computed.
struct TypedNetwork {
    std::shared_ptr<const memory::ComponentTree> tree;
    DType compute = DType::F32;
};

/// What a stage works with: the way to weights, and the recorder.
struct StageContext {
    residency::WeightSource& weights;
    tensor::Record record;
    /// Those that are not as their file has them, in f32.
    std::vector<const TypedNetwork*> typed{};
    /// What passes of networks without steps say at their beginning: for a stage whose passes over
    /// one network use other leaves of it.
    memory::PassHint pass{};
    /// A run that denoisers go along (sampling::TeacherForcing); null: they go their own way.
    const tensor::RecordedTensors* teacher = nullptr;
    PreviewPace previewPace{};

    /// The network in the stage's types; `network` is as it was opened.
    [[nodiscard]] const memory::ComponentTree& treeOf(const memory::ComponentTree& network) const;
    [[nodiscard]] DType computeOf(const memory::ComponentTree& network) const;

private:
    [[nodiscard]] const TypedNetwork* typedOf(const memory::ComponentTree& network) const;
};

}  // namespace lowtide::models
