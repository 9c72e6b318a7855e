#pragma once
// A checkpoint in the diffusers layout: one folder per component and a model_index.json.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Where components lie that have no folder of their name: "text_encoder" in ".".
using ComponentFolders = std::map<std::string, std::string, std::less<>>;

/// A folder whose files are read by name; remembers which, and the identity that each had.
class CheckpointFolder final : public Checkpoint {
public:
    /// `name` is shown to people. Error{NotFound} without model_index.json.
    CheckpointFolder(std::string path, std::string name);

    /// Of components whose classes `index` states, in place of a model_index.json.
    CheckpointFolder(std::string path, std::string name, Json index, ComponentFolders folders)
        : path_(std::move(path)),
          name_(std::move(name)),
          folders_(std::move(folders)),
          index_(std::move(index)) {}

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override;

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
    /// Below `path_`: "text_encoder/config.json", or where its component lies.
    [[nodiscard]] std::string placeOf(const std::string& relative) const;

    std::string path_;
    std::string name_;
    ComponentFolders folders_;
    std::vector<memory::WeightFile> files_;
    Json index_;
};

}  // namespace lowtide::models
