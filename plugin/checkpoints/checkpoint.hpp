#pragma once
// A checkpoint as families read it: the parts of the diffusers layout, wherever they lie, and the
// folder that has that layout. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/text/model_files.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Stems of the files of networks, as the libraries save them.
inline constexpr const char* kTransformersStem = "model";
inline constexpr const char* kDiffusersStem = "diffusion_pytorch_model";

/// Settings and weights by their path in the diffusers layout ("unet/config.json"). What a
/// checkpoint lacks but implies is made up by its layout (layouts/layout.hpp).
class Checkpoint : public ModelFiles {
public:
    /// Shown to users: the name of the folder or file.
    [[nodiscard]] virtual const std::string& name() const = 0;

    /// The owner of a component: the checkpoint itself, or a file that a user chose for it.
    [[nodiscard]] virtual const std::string& nameOf(std::string_view /*component*/) const {
        return name();
    }

    /// What messages call a file of a component ("tokenizer/tokenizer.json"): the path where it
    /// lies.
    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return name() + "/" + relative;
    }

    /// model_index.json: the pipeline's class and settings, and for each component its library and
    /// class.
    [[nodiscard]] virtual const Json& index() const = 0;
    /// The pipeline's class in diffusers' words, empty where nothing names one.
    [[nodiscard]] std::string pipelineClass() const;
    /// The class of a component, empty where the checkpoint has none.
    [[nodiscard]] std::string componentClass(std::string_view component) const;

    /// The tensors of a component; `stem` is the name of its file without the ending.
    [[nodiscard]] virtual WeightMap weights(const std::string& component,
                                            const std::string& stem) = 0;
    /// The same, but no file need be opened before the result is called: a component whose output
    /// is kept may never be. Error{Corrupt} then, when a file changed since now.
    [[nodiscard]] virtual std::function<WeightMap()> laterWeights(const std::string& component,
                                                                  const std::string& stem) = 0;

    /// Every file that was read so far, or will be.
    [[nodiscard]] virtual std::vector<memory::WeightFile> files() const = 0;
};

/// Where components lie that have no folder of their name: "text_encoder" in ".".
using ComponentFolders = std::map<std::string, std::string, std::less<>>;

/// A folder whose files are read by name; remembers which, and the identity that each had.
class CheckpointFolder final : public Checkpoint {
public:
    /// `name` is shown to users. Error{NotFound} without model_index.json.
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
    /// Named in messages by its path in the folder ("unet/config.json").
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;

    [[nodiscard]] std::vector<memory::WeightFile> files() const override { return files_; }

private:
    /// Below `path_`: "text_encoder/config.json", or where its component lies.
    [[nodiscard]] std::string fullPathOf(const std::string& relative) const;

    std::string path_;
    std::string name_;
    ComponentFolders folders_;
    std::vector<memory::WeightFile> files_;
    Json index_;
};

}  // namespace lowtide::models
