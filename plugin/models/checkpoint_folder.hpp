#pragma once
// A checkpoint in the diffusers layout: one folder per component and a model_index.json.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/blocks/network_builder.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A folder whose files are read by name; remembers which, and the identity that each had.
class CheckpointFolder {
public:
    /// `name` is shown to people. Error{NotFound} without model_index.json, Error{Unsupported} for
    /// a single file.
    CheckpointFolder(std::string path, std::string name);

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] const std::string& name() const { return name_; }

    /// model_index.json.
    [[nodiscard]] const Json& index() const { return index_; }

    /// The pipeline's class, empty where the index names none.
    [[nodiscard]] std::string pipelineClass() const;
    /// The class that the index names for a component, empty where it has none.
    [[nodiscard]] std::string componentClass(const std::string& component) const;

    [[nodiscard]] bool has(const std::string& relative) const;
    /// A small file as text or JSON, named in messages by its place in the folder
    /// ("unet/config.json").
    [[nodiscard]] std::string readText(const std::string& relative);
    [[nodiscard]] Json readJson(const std::string& relative);
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem);
    /// The same, but no file is opened before the result is called: a component whose output is
    /// kept may never be. Error{Corrupt} then, when a file changed since now.
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem);

    /// Every file that was read so far, or will be.
    [[nodiscard]] const std::vector<memory::WeightFile>& files() const { return files_; }

private:
    std::string path_;
    std::string name_;
    std::vector<memory::WeightFile> files_;
    Json index_;
};

/// Whether every file is still the one that was read.
[[nodiscard]] bool areUnchanged(const std::vector<memory::WeightFile>& files);

}  // namespace lowtide::models
