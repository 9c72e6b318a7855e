#pragma once

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/nn/component_source.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// A file, and the parameter that names it.
struct ParameterFile {
    std::string parameter;
    CheckpointPath path;
};

/// One network's file, or those of several text encoders, for a model that is put together of
/// several: what load.text_encoder and its kin give. The model of load.diffusion_model has its
/// component; this one has none. Immutable.
class ModelPart final : public ComponentSource {
public:
    /// Reads the headers; at least one file. Errors on a file's parameter, Unsupported for one
    /// without the component.
    ModelPart(const SplitPart& part,
              const std::vector<ParameterFile>& files,
              const std::string& resourcesFolder);

    [[nodiscard]] std::string_view type() const override { return part_.type; }

    [[nodiscard]] const std::string& name() const override { return paths_.front().name; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override { return files_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override { return {}; }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view) const override {
        return nullptr;
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view) const override {
        return nullptr;
    }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;

    /// One, but for text encoders.
    [[nodiscard]] const std::vector<CheckpointPath>& paths() const { return paths_; }

private:
    const SplitPart& part_;
    std::vector<CheckpointPath> paths_;
    std::vector<memory::WeightFile> files_;
};

}  // namespace lowtide::models
