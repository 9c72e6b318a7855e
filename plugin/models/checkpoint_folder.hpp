#pragma once
// A checkpoint in the diffusers layout: one folder per component and a model_index.json.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/checkpoint.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A folder whose files are read by name; remembers which, and the identity that each had.
class CheckpointFolder final : public Checkpoint {
public:
    /// `name` is shown to people. Error{NotFound} without model_index.json.
    CheckpointFolder(std::string path, std::string name);

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    /// Named in messages by its place in the folder ("unet/config.json").
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;

    [[nodiscard]] std::vector<memory::WeightFile> files() const override { return files_; }

private:
    std::string path_;
    std::string name_;
    std::vector<memory::WeightFile> files_;
    Json index_;
};

}  // namespace lowtide::models
