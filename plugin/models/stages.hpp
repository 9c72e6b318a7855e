#pragma once
// The front door of models: torch-free, one call per stage. Nodes, plan, check and studio need
// nothing else.

#include "plugin/base/json.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/image/picture_file.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/models/conditioning/conditioning_edit.hpp"
#include "plugin/models/recognise.hpp"
#include "plugin/models/stage_requests.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
struct StagePlace;
struct StageWork;
}  // namespace lowtide::memory

namespace lowtide::models {

/// The shape of a stage's result and the networks it runs, known before a weight is read.
struct StageOutline {
    /// Asked when the stage will run: may open files, for their headers. Empty: no network.
    std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> components;
    std::string outputType;
    Shape outputShape;
    WireRef outputValue{};         ///< what is known of the result beyond its shape; may be null
    std::vector<Bytes> tensors{};  ///< all that the output holds, where the stage computes
    Bytes hostBytes = 0;           ///< of the output, in host memory wherever that is
    /// How each of the stage's networks is stored and computed, and what makes it lossy.
    std::vector<memory::ComponentPrecision> precisions{};
    /// Warnings about choices that go badly together.
    Issues issues{};
    /// The stage on shapes alone, as the device of that place would hold it, under LibTorch's
    /// switches of the stage; ports are named as the wires of requests are. Run thread only; takes
    /// tens of milliseconds, the first time on a CUDA card some hundreds.
    std::function<memory::StageWork(const memory::StagePlace& place)> walk{};
};

/// Of the encoder: its positive output, and the negative one, which the same networks make.
struct EncodeOutline : StageOutline {
    StageOutline negative;
};

/// Of a picture: its image output, and the mask.
struct PictureOutline : StageOutline {
    StageOutline mask;
};

/// A picture and a mask of its size: what a picture file holds, where it is transparent.
struct PictureValues {
    WireRef image;
    WireRef mask;
};

/// Shapes of what is brought to another size.
struct FitShapes {
    Shape image;  ///< [B, 3, H, W]
    Shape mask;   ///< [1 or B, 1, H, W], or empty: not connected
};

/// Shapes of pictures that are laid on each other.
struct CompositeShapes {
    Shape destination;  ///< [B, 3, H, W]
    Shape source;       ///< [1 or B, 3, h, w]
    Shape mask;         ///< [1 or B, 1, any, any], or empty: not connected
};

/// Shapes of what is encoded.
struct ImageEncodeShapes {
    Shape image;  ///< [B, 3, H, W]
    Shape mask;   ///< [1 or B, 1, H, W], or empty: not connected
};

/// Shapes of what a denoiser is given.
struct DenoiseShapes {
    Shape latent;    ///< [B, C, h, w] or [B, C, F, h, w]; empty: `latentKind` tells its size
    Shape positive;  ///< [1, T, D]
    Shape negative;  ///< [1, T, D], or empty: not connected
    /// StageOutline::outputValue of conditionings that were joined or restricted, else null.
    WireRef positiveEntries;
    WireRef negativeEntries;
    Shape mask;    ///< [1 or B, 1, H, W], or empty: not connected
    Shape masked;  ///< [1 or B, C, h, w], likewise
    /// StageOutline::outputValue of latents, null where their shape is all that is known.
    WireRef latentKind;
    WireRef maskedKind;
};

/// Shapes of what a detail pass is given.
struct DetailShapes {
    Shape image;  ///< [B, 3, H, W]
    ConditioningShape positive;
    ConditioningShape negative;  ///< an empty shape: not connected
};

/// The stages of one module. Run thread for the stages, any thread for loading and outlines.
/// Throws lowtide::Error only; messages name the stage, the values and what to do.
class Stages {
public:
    virtual ~Stages() = default;

    /// Reads headers and configs, no weight. The same files give the same value.
    [[nodiscard]] virtual WireRef loadCheckpoint(const LoadRequest& request,
                                                 std::string_view graphFolder) = 0;
    /// The same for the file of an upscaler, whose scale and settings follow from its shapes.
    [[nodiscard]] virtual WireRef loadUpscaler(std::string_view path,
                                               std::string_view graphFolder) = 0;
    /// What a file or folder of weights is, by its headers. Error{NotFound} where nothing is there.
    [[nodiscard]] virtual Recognised recognise(std::string_view path) = 0;
    /// Identity of the files (name, size, time of change) of a checkpoint or an upscaler, for
    /// result keys.
    [[nodiscard]] virtual std::string fingerprint(const WireRef& loaded) = 0;

    /// The networks of a checkpoint whose files were opened so far.
    [[nodiscard]] virtual std::vector<std::shared_ptr<const memory::ComponentTree>> components(
        const WireRef& model) = 0;

    [[nodiscard]] virtual EncodeResult encodePrompt(const EncodeRequest& request,
                                                    const StageCall& call) = 0;
    /// What a picture shows, in host memory.
    [[nodiscard]] virtual PictureValues pictureValues(const image::DecodedPicture& picture) = 0;
    [[nodiscard]] virtual PictureValues fitImage(const FitRequest& request,
                                                 const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef compositeImages(const CompositeRequest& request,
                                                  const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef growMask(const MaskGrowRequest& request,
                                           const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef repeatLatent(const LatentRepeatRequest& request,
                                               const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef encodeImage(const ImageEncodeRequest& request,
                                              const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef makeMask(const MaskRequest& request, const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef emptyLatent(const EmptyLatentRequest& request) = 0;
    /// No tensor, no file: settings that were checked. Any thread. Error{InvalidInput} blames one.
    [[nodiscard]] virtual WireRef stepCache(const StepCacheRequest& request) = 0;
    [[nodiscard]] virtual WireRef denoise(const DenoiseRequest& request, const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef upscaleLatent(const LatentUpscaleRequest& request,
                                                const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef decodeImage(const DecodeRequest& request,
                                              const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef upscaleImage(const UpscaleRequest& request,
                                               const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef upscaleWithModel(const UpscaleWithModelRequest& request,
                                                   const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef sharpenImage(const SharpenRequest& request,
                                               const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef matchColour(const MatchColourRequest& request,
                                              const StageCall& call) = 0;
    [[nodiscard]] virtual WireRef addDetail(const DetailRequest& request,
                                            const StageCall& call) = 0;
    /// 8-bit pictures of an image value, rounded half to even.
    [[nodiscard]] virtual std::vector<Image8> pictures(const WireRef& image) = 0;
    /// A1111 `parameters` text of one picture of an image value; empty when it did not come from a
    /// denoiser. Waits for the hash of the denoiser's files, which is read while it runs.
    [[nodiscard]] virtual std::string parametersText(const WireRef& image,
                                                     size_t picture,
                                                     const StopToken& stop = {}) = 0;

    /// Joins or restricts conditionings; runs no network.
    [[nodiscard]] virtual WireRef editConditioning(const ConditioningEdit& edit,
                                                   const StageCall& call) = 0;

    [[nodiscard]] virtual EncodeOutline outlineEncode(const EncodeRequest& request) = 0;
    [[nodiscard]] virtual PictureOutline outlinePicture(int64_t heightPixels,
                                                        int64_t widthPixels) = 0;
    /// Of the wires in `settings` only the model is looked at, and whether there is a mask.
    [[nodiscard]] virtual PictureOutline outlineFit(const FitShapes& shapes,
                                                    const FitRequest& settings) = 0;
    /// The wires in `settings` are not looked at.
    [[nodiscard]] virtual StageOutline outlineComposite(const CompositeShapes& shapes,
                                                        const CompositeRequest& settings) = 0;
    /// The mask in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineGrowMask(const Shape& maskShape,
                                                       const MaskGrowRequest& settings) = 0;
    /// `known`: StageOutline::outputValue of the latent, may be null. The latent in `settings` is
    /// not looked at.
    [[nodiscard]] virtual StageOutline outlineRepeatLatent(const Shape& latentShape,
                                                           const WireRef& known,
                                                           const LatentRepeatRequest& settings) = 0;
    [[nodiscard]] virtual StageOutline outlineEmptyLatent(const EmptyLatentRequest& request) = 0;
    /// Of the wires in `settings` only the model is looked at.
    [[nodiscard]] virtual StageOutline outlineEncodeImage(const ImageEncodeShapes& shapes,
                                                          const ImageEncodeRequest& settings) = 0;
    /// The image in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineMask(const Shape& imageShape,
                                                   const MaskRequest& settings) = 0;
    /// Of the wires in `settings` only the model and the step cache are looked at.
    [[nodiscard]] virtual StageOutline outlineDenoise(const DenoiseShapes& shapes,
                                                      const DenoiseRequest& settings) = 0;
    /// The edit's wires are not looked at.
    [[nodiscard]] virtual StageOutline outlineConditioning(
        const std::vector<ConditioningShape>& inputs, const ConditioningEdit& edit) = 0;
    /// The latent in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineUpscaleLatent(
        const Shape& latentShape, const LatentUpscaleRequest& settings) = 0;
    /// The latent in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineDecode(const Shape& latentShape,
                                                     const DecodeRequest& settings) = 0;
    /// The image in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineUpscale(const Shape& imageShape,
                                                      const UpscaleRequest& settings) = 0;
    /// Of the wires in `settings` only the upscaler is looked at.
    [[nodiscard]] virtual StageOutline outlineUpscaleWithModel(
        const Shape& imageShape, const UpscaleWithModelRequest& settings) = 0;

    /// The image in `settings` is not looked at.
    [[nodiscard]] virtual StageOutline outlineSharpen(const Shape& imageShape,
                                                      const SharpenRequest& settings) = 0;
    /// The images in `settings` are not looked at.
    [[nodiscard]] virtual StageOutline outlineMatchColour(const Shape& imageShape,
                                                          const Shape& referenceShape,
                                                          const MatchColourRequest& settings) = 0;
    /// Of the wires in `settings` only the model is looked at.
    [[nodiscard]] virtual StageOutline outlineDetail(const DetailShapes& shapes,
                                                     const DetailRequest& settings) = 0;

    /// Of pictures(); nothing goes to a wire.
    [[nodiscard]] virtual StageOutline outlinePictures(const Shape& imageShape) = 0;

    /// Names of `denoise.sampler` that are built, "checkpoint" first, with labels.
    [[nodiscard]] virtual std::vector<ChoiceDesc> samplerChoices() = 0;
    /// Components by role or pattern, "all" first: those that the families and upscalers state.
    [[nodiscard]] virtual std::vector<ChoiceDesc> componentChoices() = 0;
};

}  // namespace lowtide::models
