#pragma once
// A checkpoint of which a person chose parts otherwise. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/checkpoint.hpp"
#include "plugin/models/single_file/autoencoder_file.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::models {

/// Another checkpoint with an autoencoder of its own file, another prediction type, or both.
class AdjustedCheckpoint final : public Checkpoint {
public:
    /// `prediction` is "epsilon", "v_prediction", or empty: as the checkpoint says.
    AdjustedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                       std::optional<AutoencoderFile> autoencoder,
                       std::string prediction);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] std::string pipelineClass() const override {
        return checkpoint_->pipelineClass();
    }

    [[nodiscard]] std::string componentClass(const std::string& component) const override;
    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

private:
    std::unique_ptr<Checkpoint> checkpoint_;
    std::optional<AutoencoderFile> autoencoder_;
    std::string prediction_;
};

}  // namespace lowtide::models
