#pragma once
// The front door of models: torch-free, one call per stage. Nodes, plan, check and studio need
// nothing else.

#include "nodes/conditioning/conditioning_edit.hpp"
#include "nodes/control/control_request.hpp"
#include "nodes/control/image_prompt_request.hpp"
#include "nodes/encode/video_start_request.hpp"
#include "nodes/engine/stage_requests.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/convert/conversion.hpp"
#include "plugin/families/recognise.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/image/picture_file.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
struct SmallerWork;
struct StagePlace;
struct StageWork;
}  // namespace lowtide::memory

namespace lowtide::models {

/// What a stage, or the loading of a file, says before it runs.
struct StageOutline {
    /// Asked when the stage will run: may open files, for their headers. Empty: no network.
    std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> components{};
    std::vector<StageOutput> outputs{};
    /// How each of the stage's networks is stored and computed, and what makes it lossy.
    std::vector<memory::ComponentPrecision> precisions{};
    /// Warnings about choices that go badly together.
    Issues issues{};
    /// Of files that it reads beside its components', for result keys.
    std::vector<std::string> fingerprints{};
    /// What a host may show of the work, by names of its own; null: nothing.
    std::shared_ptr<const Json> facts{};
    /// The stage on shapes alone, as the device of that place would hold it, under LibTorch's
    /// switches of the stage; ports are named as the wires of requests are. Run thread only; takes
    /// tens of milliseconds, the first time on a CUDA card some hundreds.
    std::function<memory::StageWork(const memory::StagePlace& place)> walk{};

    /// What smaller tiles would take in that place. Empty: the stage has none.
    std::function<memory::SmallerWork(const memory::StagePlace& place)> smaller{};

    /// The first one.
    [[nodiscard]] const StageOutput& output() const { return outputs.front(); }
};

/// A picture and a mask of its size: what a picture file holds, where it is transparent.
struct PictureValues {
    WireRef image;
    WireRef mask;
};

/// A model that was opened or changed, and what goes badly together in it.
struct LoadedModel {
    WireRef model;
    Issues warnings;
};

/// The stages of one module. Run thread for run(), any thread for loading and outlines. Throws
/// lowtide::Error only; messages name the stage, the values and what to do.
class Stages {
public:
    virtual ~Stages() = default;

    /// The values of the outputs of the request's stage, in its order.
    template <class Request>
    [[nodiscard]] std::vector<WireRef> run(const Request& request, const StageCall& call) {
        return runTask(taskOf(request), call);
    }

    /// What is known of the stage before it runs. Of wires in the request shapes are looked at and
    /// what was loaded: a KnownValue stands for what is not there yet.
    template <class Request>
    [[nodiscard]] StageOutline outline(const Request& request) {
        return outlineTask(taskOf(request));
    }

    /// Reads headers and configs, no weight. The same files give the same value.
    [[nodiscard]] virtual WireRef loadCheckpoint(const LoadRequest& request,
                                                 std::string_view graphFolder) = 0;
    /// The same for one network's file. Errors on "file".
    [[nodiscard]] virtual WireRef loadPart(const PartRequest& request,
                                           std::string_view graphFolder) = 0;
    /// A model of a denoiser's file and loadPart()'s values. Errors on "file", or the port of the
    /// part that is missing or does not fit.
    [[nodiscard]] virtual LoadedModel loadDiffusionModel(const DiffusionModelRequest& request,
                                                         std::string_view graphFolder) = 0;
    /// The same for the file of an upscaler, whose scale and settings follow from its shapes.
    [[nodiscard]] virtual WireRef loadUpscaler(std::string_view path,
                                               std::string_view graphFolder) = 0;
    /// The same for a ControlNet, a file or a folder.
    [[nodiscard]] virtual WireRef loadControlNet(std::string_view path,
                                                 std::string_view graphFolder) = 0;
    /// The same for an IP-Adapter and its image encoder. Errors on "adapter", or "image_encoder".
    [[nodiscard]] virtual WireRef loadIpAdapter(const IpAdapterRequest& request,
                                                std::string_view graphFolder) = 0;
    /// Reads headers alone. The same model, file and strengths give the same value.
    /// Error{NotFound}, Error{Corrupt}, Error{InvalidInput} on `file`, for an adapter of another
    /// kind of model too.
    [[nodiscard]] virtual LoadedModel loadAdapter(const LoraRequest& request,
                                                  std::string_view graphFolder) = 0;
    /// The same for each LoRA that a prompt has a tag for ("<lora:name:0.8>"), in their order. What
    /// cannot be read or found is left out, with a warning on parameter "prompt"; Error{Corrupt},
    /// Error{InvalidInput} there for what was found.
    [[nodiscard]] virtual LoadedModel loadTagged(const WireRef& model,
                                                 const std::string& prompt,
                                                 std::string_view graphFolder) = 0;
    /// What prompts for a model may name: the files of the folders "embeddings" in and beside the
    /// graph's folder, the model folders and the checkpoint. Opens none.
    [[nodiscard]] virtual std::shared_ptr<const EmbeddingLibrary> embeddings(
        const WireRef& model, std::string_view graphFolder) = 0;
    /// What a file or folder of weights is, by its headers. Error{NotFound} where nothing is there.
    [[nodiscard]] virtual Recognised recognise(std::string_view path) = 0;
    /// Writes a checkpoint's weights again in another storage; see convertWeights(). Any thread;
    /// takes as long as reading and encoding them.
    [[nodiscard]] virtual Conversion convert(const ConvertRequest& request,
                                             const GoesOn& goesOn) = 0;
    /// What it could be written as, from headers. Any thread.
    [[nodiscard]] virtual ConversionChoices conversionChoices(std::string_view checkpoint,
                                                              std::string_view graphFolder) = 0;
    /// Identity of the files (name, size, time of change) of a checkpoint or an upscaler, for
    /// result keys.
    [[nodiscard]] virtual std::string fingerprint(const WireRef& loaded) = 0;
    /// The networks of a checkpoint whose files were opened so far.
    [[nodiscard]] virtual std::vector<std::shared_ptr<const memory::ComponentTree>> components(
        const WireRef& model) = 0;

    /// What a picture shows, in host memory.
    [[nodiscard]] virtual PictureValues pictureValues(const image::DecodedPicture& picture) = 0;
    /// Of pictureValues(): a picture and its mask.
    [[nodiscard]] virtual StageOutline outlinePicture(int64_t heightPixels,
                                                      int64_t widthPixels) = 0;
    /// Frames of a video in host memory, [F, 3, H, W]: `next` gives one after another, of 3
    /// channels.
    [[nodiscard]] virtual WireRef videoValue(const Shape& frames,
                                             double rate,
                                             const std::function<Image8()>& next) = 0;
    /// Of videoValue().
    [[nodiscard]] virtual StageOutline outlineVideo(const Shape& frames) = 0;
    /// No tensor, no file: settings that were checked. Any thread. Error{InvalidInput} blames one.
    [[nodiscard]] virtual WireRef stepCache(const StepCacheRequest& request) = 0;
    /// 8-bit pictures of an image value, rounded half to even.
    [[nodiscard]] virtual std::vector<Image8> pictures(const WireRef& image) = 0;
    /// Of pictures(); nothing goes to a wire.
    [[nodiscard]] virtual StageOutline outlinePictures(const Shape& imageShape) = 0;
    /// A1111 `parameters` text of one picture of an image value; empty when it did not come from a
    /// denoiser. Waits for the hash of the denoiser's files, which is read while it runs.
    [[nodiscard]] virtual std::string parametersText(const WireRef& image,
                                                     size_t picture,
                                                     const StopToken& stop = {}) = 0;

    /// Frames a second of an image value that is a video; 0: it is none.
    [[nodiscard]] virtual double frameRate(const WireRef& image) = 0;

    /// Names of `denoise.sampler` that are built, "checkpoint" first, with labels.
    [[nodiscard]] virtual std::vector<ChoiceDesc> samplerChoices() = 0;
    /// Components by role or pattern, "all" first: those that the families and upscalers state.
    [[nodiscard]] virtual std::vector<ChoiceDesc> componentChoices() = 0;

protected:
    [[nodiscard]] virtual std::vector<WireRef> runTask(const StageTask& task,
                                                       const StageCall& call) = 0;
    [[nodiscard]] virtual StageOutline outlineTask(const StageTask& task) = 0;
};

}  // namespace lowtide::models
