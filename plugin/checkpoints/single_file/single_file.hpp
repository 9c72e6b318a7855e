#pragma once
// A checkpoint in one file, shown in the diffusers layout, and the networks that files of the LDM
// layouts have in common. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/text/clip_tokenizer.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A network in a file, as the diffusers layout would hold it.
struct FileNetwork {
    std::string className;  ///< empty: the file has none
    /// What shapes and other tensors determine, as its config.json.
    std::function<Json()> settings;
    std::function<WeightMap()> weights;
    /// Refuses settings that the file cannot have.
    void (*check)(const Json& settings,
                  const std::string& what,
                  const SidecarFile& sidecar) = nullptr;
};

/// A CLIP tokenizer, which no file holds.
struct FileTokenizer {
    std::string encoder;  ///< the network whose vocabulary and length it has
    std::string padding;  ///< a token
};

/// A small file, and where it lies: inside the file of weights, or next to it.
struct FileDocument {
    std::string path;  ///< for messages
    std::function<std::string()> read;
};

/// A component that is no network, as files that lie in its folder ("spiece.model").
struct FileDocuments {
    std::string className;
    std::map<std::string, FileDocument, std::less<>> files;
};

/// What a layout found in a file, by component. Functions hold what they read from.
struct FileParts {
    Json pipeline = Json::object();  ///< class and settings, as in model_index.json
    std::map<std::string, FileNetwork, std::less<>> networks;
    std::map<std::string, FileTokenizer, std::less<>> tokenizers;
    std::map<std::string, FileDocuments, std::less<>> documents;
    std::function<Json()> scheduler;  ///< as scheduler_config.json; empty: the file implies none
    std::vector<memory::WeightFile> files;  ///< read for settings, in addition to the file itself
};

/// One file whose layout was understood: settings come from it, then from what a user wrote
/// next to it (SidecarFile). Tokenizers that the file does not hold are CLIP's own. Weights remain
/// where they lie.
class SingleFile final : public Checkpoint {
public:
    /// Error{Unsupported} when the source's SidecarFile names a part that the layout does not have.
    SingleFile(const ModelSource& source, FileParts parts, std::string resourcesFolder);

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override;
    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

private:
    void refuseUnknownParts() const;
    /// Of a component that is no network; nullptr where there is no such file.
    [[nodiscard]] const FileDocument* documentAt(const std::string& relative) const;
    [[nodiscard]] Json networkSettings(const std::string& component) const;
    [[nodiscard]] Json tokenizerSettings(const std::string& component) const;
    /// CLIP's, as large as the text encoder's; made once.
    [[nodiscard]] const ClipVocabulary& vocabularyOf(const std::string& tokenizer);

    std::string name_;
    std::string resourcesFolder_;
    FileParts parts_;
    SidecarFile sidecar_;
    Json index_;
    std::vector<memory::WeightFile> files_;
    std::map<std::string, ClipVocabulary, std::less<>> vocabularies_;
    std::optional<memory::WeightFile> merges_;  ///< the file they were made of
};

/// A header that outlives the call: functions of FileParts read it later.
using SharedHeader = std::shared_ptr<const WeightFileHeader>;

[[nodiscard]] SharedHeader sharedHeader(const ModelSource& source);

/// Whether the file has the first convolution of a denoiser in LDM's words, under `prefix`.
[[nodiscard]] bool hasLdmUNet(const WeightMap& file, std::string_view prefix);
/// Whether there is one under a whole checkpoint's prefix, and something of another network as
/// well.
[[nodiscard]] bool isLdmCheckpoint(const WeightMap& file);
/// Channels that the denoiser takes; 0: that tensor is none of a convolution.
[[nodiscard]] int64_t ldmInputChannels(const WeightMap& file, std::string_view prefix);

[[nodiscard]] FileNetwork ldmUNet(const SharedHeader& file, std::string_view prefix);
/// An autoencoder under `prefix`, in LDM's or diffusers' names. `constants`: settings that no shape
/// determines; all of them where the file has no autoencoder.
[[nodiscard]] FileNetwork ldmAutoencoder(const SharedHeader& file,
                                         std::string_view prefix,
                                         Json constants);
/// A text encoder of CLIP's whose map `weights` makes. `isOpenClip`: as textEncoderSettings().
[[nodiscard]] FileNetwork ldmTextEncoder(std::function<WeightMap()> weights, bool isOpenClip);

}  // namespace lowtide::models
