#pragma once
// A checkpoint in one file of the LDM layout (.safetensors, .ckpt, .pth), shown in the diffusers
// layout. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/blocks/weight_file.hpp"
#include "plugin/models/checkpoint.hpp"
#include "plugin/models/single_file/beside_file.hpp"
#include "plugin/models/text/clip_vocabulary.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Stable Diffusion 1.x and 2.x in one file. Settings come from shapes, then from what the file
/// says beside its tensors and, for its prediction, from one tensor (biasLooksLikeVelocity), then
/// from what a person wrote beside the file (BesideFile). The tokenizer is CLIP's own. Weights stay
/// where they lie.
class SingleFile final : public Checkpoint {
public:
    /// Reads the header. `resourcesFolder` holds clip/merges.txt. Error{Unsupported} says what was
    /// seen in a file of another layout; and the errors of openWeightFile() and readBeside().
    SingleFile(const std::string& path, std::string name, std::string resourcesFolder);

    /// The same of a header and statements that were read already.
    SingleFile(WeightFileHeader file,
               BesideFile beside,
               std::string name,
               std::string resourcesFolder);

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] std::string pipelineClass() const override;
    [[nodiscard]] std::string componentClass(const std::string& component) const override;
    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

private:
    void refuseOtherLayouts() const;
    /// Settings of "unet", "vae" or "text_encoder" from shapes alone.
    [[nodiscard]] Json shapesSay(const std::string& component) const;
    [[nodiscard]] Json settingsOf(const std::string& part) const;
    [[nodiscard]] Json tokenizerSettings() const;
    [[nodiscard]] Json schedulerSettings() const;
    [[nodiscard]] std::string predictionType() const;
    [[nodiscard]] bool version2PredictsVelocity() const;
    [[nodiscard]] WeightMap textWeights() const;
    /// CLIP's, as large as the text encoder's; made once.
    [[nodiscard]] const ClipVocabulary& vocabulary();
    /// SD 2.x by the width of its conditioning, as diffusers decides.
    [[nodiscard]] bool isVersion2() const;

    std::string name_;
    std::string resourcesFolder_;
    WeightFileHeader file_;
    BesideFile beside_;
    std::optional<ClipVocabulary> vocabulary_;
    std::optional<memory::WeightFile> merges_;  ///< the file it was made of
};

}  // namespace lowtide::models
