#pragma once
// What the nodes of a module have in common: the models that are open, and how stages run.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/adapters/adapted_model.hpp"
#include "plugin/checkpoints/convert/conversion.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/checkpoints/model_part.hpp"
#include "plugin/checkpoints/open_control_net.hpp"
#include "plugin/checkpoints/recently_opened.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"
#include "plugin/families/model_cache.hpp"
#include "plugin/families/recognise.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/recorder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::files {
class FileDigests;
}

namespace lowtide::residency {
class Residency;
}

namespace lowtide::memory {
struct ComponentTree;
struct SmallerWork;
struct StageDevices;
struct StageWork;
}  // namespace lowtide::memory

namespace lowtide::nodes {

/// A model that was opened or changed, and what goes badly together in it.
struct LoadedModel {
    WireRef model;
    Issues warnings;
};

/// What load.ip_adapter opens. Paths as those of checkpoints.
struct IpAdapterRequest {
    std::string adapter;
    std::string imageEncoder;  ///< empty: where it usually lies
};

/// What the stages stand on; given by the composition root.
struct StagesSettings {
    residency::Residency& residency;  ///< must outlive the stages
    std::string resourcesFolder;      ///< holds mini/model for "builtin:mini"
    std::vector<std::string> modelFolders;
    std::function<tensor::Recorder*()>
        recorder;  ///< asked at every stage; nullptr: nothing is recorded
    std::function<const tensor::RecordedTensors*()>
        teacher{};  ///< asked at every stage; nullptr, or none: denoisers go their own way
    models::PreviewPace previewPace{};
    std::span<const models::Family* const>
        families{};                                 ///< of checkpoints; empty: all that are built
    std::shared_ptr<files::FileDigests> digests{};  ///< null: the stages keep their own in memory
};

/// The models that are open in a module, and how stages run. Run thread for run(), any thread for
/// loading and specs. Throws lowtide::Error only; messages name the stage, the values and what
/// to do.
class Stages {
public:
    explicit Stages(StagesSettings settings);
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    /// The values of the stage's outputs, in its order.
    [[nodiscard]] std::vector<WireRef> run(const Stage& stage, const StageCall& call);
    /// What is known of the stage before it runs, by the ports of its outputs. A Placeholder is on
    /// a wire for what is not there yet.
    [[nodiscard]] executor::NodeSpec spec(const std::shared_ptr<const Stage>& stage,
                                          const std::vector<PortDesc>& ports);

    /// Reads headers and configs, no weight. The same files give the same value.
    [[nodiscard]] WireRef loadCheckpoint(const models::LoadRequest& request,
                                         std::string_view graphFolder);
    /// The same for one network's file. Errors on "file".
    [[nodiscard]] WireRef loadPart(const models::PartRequest& request,
                                   std::string_view graphFolder);
    /// A model of a denoiser's file and loadPart()'s values. Errors on "file", or the port of the
    /// part that is missing or does not fit.
    [[nodiscard]] WireRef loadDiffusionModel(const models::DiffusionModelRequest& request,
                                             std::string_view graphFolder);
    /// For the file of an upscaler, whose scale and settings follow from its shapes.
    [[nodiscard]] WireRef loadUpscaler(std::string_view path, std::string_view graphFolder);
    /// The same for a ControlNet, a file or a folder.
    [[nodiscard]] WireRef loadControlNet(std::string_view path, std::string_view graphFolder);
    /// The same for an IP-Adapter and its image encoder. Errors on "adapter", or "image_encoder".
    [[nodiscard]] WireRef loadIpAdapter(const IpAdapterRequest& request,
                                        std::string_view graphFolder);
    /// Reads headers alone. The same model, file and strengths give the same value.
    /// Error{NotFound}, Error{Corrupt}, Error{InvalidInput} on `file`, for an adapter of another
    /// kind of model too.
    [[nodiscard]] LoadedModel loadAdapter(const models::LoraRequest& request,
                                          std::string_view graphFolder);
    /// The same for each LoRA that a prompt has a tag for ("<lora:name:0.8>"), in their order. What
    /// cannot be read or found is left out, with a warning on parameter "prompt"; Error{Corrupt},
    /// Error{InvalidInput} there for what was found.
    [[nodiscard]] LoadedModel loadTagged(const WireRef& model,
                                         const std::string& prompt,
                                         std::string_view graphFolder);
    /// What prompts for a model may name: the files of the folders "embeddings" in and next to the
    /// graph's folder, the model folders and the checkpoint. Opens none.
    [[nodiscard]] std::shared_ptr<const models::EmbeddingLibrary> embeddings(
        const WireRef& model, std::string_view graphFolder);
    /// What a file or folder of weights is, by its headers. Error{NotFound} where nothing is there.
    [[nodiscard]] models::Recognised recognise(std::string_view path);
    /// Writes a checkpoint's weights again in another storage; see convertWeights(). Any thread;
    /// takes as long as reading and encoding them.
    [[nodiscard]] models::Conversion convert(const models::ConvertRequest& request,
                                             const models::GoesOn& goesOn);
    /// What it could be written as, from headers. Any thread.
    [[nodiscard]] models::ConversionChoices conversionChoices(std::string_view checkpoint,
                                                              std::string_view graphFolder);
    /// Identity of the files (name, size, modification time) of a checkpoint or an upscaler, for
    /// result keys.
    [[nodiscard]] std::string fingerprint(const WireRef& loaded);
    /// The networks of a checkpoint whose files were opened so far.
    [[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> components(
        const WireRef& model);

    /// A1111 `parameters` text of one image of an image value; empty when it did not come from a
    /// denoiser. Waits for the hash of the denoiser's files, which is read while it runs.
    [[nodiscard]] std::string parametersText(const WireRef& image,
                                             size_t imageIndex,
                                             const StopToken& stop = {});

    /// Components by role or pattern, "all" first: those that the families and upscalers state.
    [[nodiscard]] std::vector<ChoiceDesc> componentChoices();

private:
    [[nodiscard]] models::CheckpointPath pathOf(std::string_view typed,
                                                std::string_view graphFolder,
                                                const char* item = "checkpoint") const;
    /// Of a network, or of several text encoders.
    [[nodiscard]] std::vector<models::ParameterFile> filesOf(const models::PartRequest& request,
                                                             std::string_view graphFolder) const;
    [[nodiscard]] models::CheckpointChoice chosen(const models::LoadRequest& request,
                                                  std::string_view graphFolder) const;
    [[nodiscard]] models::StageContext contextOf(std::string_view stage, const StageCall& call);

    StagesSettings settings_;
    models::Families families_;
    models::ModelCache models_;
    models::RecentlyOpened<models::ModelPart> parts_;
    models::AdaptedModels adapted_;
    std::shared_ptr<models::EmbeddingCache> openedEmbeddings_ =
        std::make_shared<models::EmbeddingCache>();
    models::RecentlyOpened<models::ControlNet> controlNets_;
    models::RecentlyOpened<models::IpAdapter> ipAdapters_;
    models::RecentlyOpened<models::Upscaler> upscalers_;
    models::RecognisedModels recognised_;
    models::ModelHashes hashes_;
};

}  // namespace lowtide::nodes
