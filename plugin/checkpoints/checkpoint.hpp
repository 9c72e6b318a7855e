#pragma once
// A checkpoint as families read it: the parts of the diffusers layout, wherever they lie.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/text/model_files.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Stems of the files of networks, as the libraries save them.
inline constexpr const char* kTransformersStem = "model";
inline constexpr const char* kDiffusersStem = "diffusion_pytorch_model";

/// Settings and weights by their place in the diffusers layout ("unet/config.json"). What a
/// checkpoint lacks but implies is made up by its layout (layouts/layout.hpp).
class Checkpoint : public ModelFiles {
public:
    /// Shown to people: the name of the folder or file.
    [[nodiscard]] virtual const std::string& name() const = 0;

    /// Who has a component: the same, or a file that a person chose for it.
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

}  // namespace lowtide::models
