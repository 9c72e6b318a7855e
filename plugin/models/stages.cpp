#include "plugin/models/stages.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/models/conditioning/conditioning_stage.hpp"
#include "plugin/models/decode_stage.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/families/family.hpp"
#include "plugin/models/finish/detail_stage.hpp"
#include "plugin/models/finish/finish_outlines.hpp"
#include "plugin/models/finish/match_colour_stage.hpp"
#include "plugin/models/finish/sharpen_stage.hpp"
#include "plugin/models/image_encode_stage.hpp"
#include "plugin/models/image_outlines.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/latent_upscale_stage.hpp"
#include "plugin/models/make_stages.hpp"
#include "plugin/models/mask_stage.hpp"
#include "plugin/models/model_cache.hpp"
#include "plugin/models/model_hashes.hpp"
#include "plugin/models/picture_fields.hpp"
#include "plugin/models/pictures/composite_stage.hpp"
#include "plugin/models/pictures/fit_stage.hpp"
#include "plugin/models/pictures/grow_mask_stage.hpp"
#include "plugin/models/pictures/picture_outlines.hpp"
#include "plugin/models/pictures/repeat_latent_stage.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/stage_outlines.hpp"
#include "plugin/models/step_cache_input.hpp"
#include "plugin/models/upscale_stage.hpp"
#include "plugin/models/upscale_with_model_stage.hpp"
#include "plugin/models/upscalers/upscaler_type.hpp"
#include "plugin/models/walk/stage_walks.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kLargestEmptySide = 1 << 16;
constexpr int64_t kLargestBatch = 4096;
constexpr int64_t kMostFrames = 4096;
constexpr const char* kUpscalerItem = "upscaler";

void checkInRange(int64_t value, int64_t most, const char* item) {
    if (value < 1 || value > most) {
        throw Error(ErrorKind::InvalidInput,
                    "the " + std::string(item) + " is " + std::to_string(value),
                    "choose a number from 1 to " + std::to_string(most),
                    item);
    }
}

/// Error{InvalidInput} names the number that cannot be.
EmptyOutline emptyOutlineOf(const EmptyLatentRequest& request) {
    checkInRange(request.widthPixels, kLargestEmptySide, "width");
    checkInRange(request.heightPixels, kLargestEmptySide, "height");
    checkInRange(request.frames, kMostFrames, "frames");
    checkInRange(request.batch, kLargestBatch, "batch");
    return {.size = {.width = request.widthPixels,
                     .height = request.heightPixels,
                     .frames = request.frames},
            .batch = request.batch};
}

/// Gives the stage the components of `source` that the patterns mean, as `choice` asks. Returns
/// LibTorch's switches for the first.
memory::SwitchStates useComponents(StageContext& context,
                                   const ComponentSource& source,
                                   const std::vector<std::string_view>& patterns,
                                   const memory::PrecisionChoice& choice) {
    const auto precisions = precisionsFor(source, patterns, choice);
    context.typed = typedFor(source, precisions);
    context.exact = exactFor(source, precisions);
    return precisions.front().switches;
}

class ModelStages final : public Stages {
public:
    explicit ModelStages(StagesSettings settings)
        : settings_(std::move(settings)),
          families_(settings_.families.empty() ? models::families() : settings_.families),
          models_(settings_.resourcesFolder, families_),
          hashes_(settings_.digests ? settings_.digests : std::make_shared<files::FileDigests>()) {}

    WireRef loadCheckpoint(const LoadRequest& request, std::string_view graphFolder) override {
        return withErrorsOf("load", [&] {
            const CheckpointChoice choice = chosen(request, graphFolder);
            try {
                return WireRef(models_.open(choice));
            } catch (const Error& error) {
                // Whatever file is to blame, the person chose the checkpoint, or the autoencoder.
                const char* item = error.item() == "vae" ? "vae" : "checkpoint";
                throw Error(error.kind(), error.message(), error.hint(), item);
            }
        });
    }

    WireRef loadUpscaler(std::string_view path, std::string_view graphFolder) override {
        return withErrorsOf("load", [&] {
            const CheckpointPath found = findCheckpoint(path,
                                                        graphFolder,
                                                        settings_.resourcesFolder,
                                                        settings_.modelFolders,
                                                        kUpscalerItem);
            try {
                return WireRef(openUpscaler(found.path, found.name));
            } catch (const Error& error) {
                throw Error(error.kind(), error.message(), error.hint(), kUpscalerItem);
            }
        });
    }

    Recognised recognise(std::string_view path) override {
        return withErrorsOf("load", [&] {
            const CheckpointPath found = findCheckpoint(
                path, "", settings_.resourcesFolder, settings_.modelFolders, "checkpoint");
            return recogniseModel(found, settings_.resourcesFolder, families_);
        });
    }

    std::string fingerprint(const WireRef& loaded) override {
        return withErrorsOf("load", [&] { return fingerprintOf(sourceIn(loaded).files()); });
    }

    std::vector<std::shared_ptr<const memory::ComponentTree>> components(
        const WireRef& model) override {
        return withErrorsOf("load", [&] {
            std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
            const ComponentSource& source = sourceIn(model);
            for (const ComponentDesc& component : source.components()) {
                if (auto tree = source.openedTree(component.role)) {
                    trees.push_back(std::move(tree));
                }
            }
            return trees;
        });
    }

    EncodeResult encodePrompt(const EncodeRequest& request, const StageCall& call) override {
        return withErrorsOf("encode", [&] {
            StageContext context = contextOf("encode", call);
            const Model& model = modelIn(request.model);
            const tensor::NumericsScope scope(
                useComponents(context, model, {kTextEncoders}, request.precision));
            const EncodedPrompts prompts = model.encodePrompts(context, promptsOf(request));
            return EncodeResult{.positive = prompts.positive, .negative = prompts.negative};
        });
    }

    PictureValues pictureValues(const image::DecodedPicture& picture) override {
        return withErrorsOf("load", [&] {
            return PictureValues{
                .image = std::make_shared<const tensor::Images>(tensor::pixelsOf(picture),
                                                                tensor::Provenance{}),
                .mask = std::make_shared<const tensor::Masks>(tensor::transparencyOf(picture))};
        });
    }

    PictureValues fitImage(const FitRequest& request, const StageCall& call) override {
        return withErrorsOf("fit", [&] {
            StageContext context = contextOf("fit", call);
            return fitStage(context, request);
        });
    }

    WireRef compositeImages(const CompositeRequest& request, const StageCall& call) override {
        return withErrorsOf("composite", [&] {
            StageContext context = contextOf("composite", call);
            return compositeStage(context, request);
        });
    }

    WireRef growMask(const MaskGrowRequest& request, const StageCall& call) override {
        return withErrorsOf("mask", [&] {
            StageContext context = contextOf("mask", call);
            return growMaskStage(context, request, call);
        });
    }

    WireRef repeatLatent(const LatentRepeatRequest& request, const StageCall& call) override {
        return withErrorsOf("repeat", [&] {
            StageContext context = contextOf("repeat", call);
            return repeatLatentStage(context, request);
        });
    }

    WireRef encodeImage(const ImageEncodeRequest& request, const StageCall& call) override {
        return withErrorsOf("image encode", [&] {
            StageContext context = contextOf("image encode", call);
            const tensor::NumericsScope scope(
                useComponents(context, modelIn(request.model), {kAutoencoder}, request.precision));
            return imageEncodeStage(context, request, call);
        });
    }

    WireRef makeMask(const MaskRequest& request, const StageCall& call) override {
        return withErrorsOf("mask", [&] {
            StageContext context = contextOf("mask", call);
            return maskStage(context, request);
        });
    }

    WireRef emptyLatent(const EmptyLatentRequest& request) override {
        const EmptyOutline empty = emptyOutlineOf(request);
        return std::make_shared<const tensor::EmptyLatents>(empty.size, empty.batch);
    }

    WireRef stepCache(const StepCacheRequest& request) override {
        return withErrorsOf("step cache", [&] {
            return WireRef(sampling::stepCacheNamed(request.kind).make(request.settings));
        });
    }

    WireRef denoise(const DenoiseRequest& request, const StageCall& call) override {
        return withErrorsOf("denoise", [&] {
            StageContext context = contextOf("denoise", call);
            // Pictures name the weights: their files are read while the denoiser runs.
            const DenoiseRequest known = identified(request, call.stop);
            const Model& model = modelIn(request.model);
            hashes_.begin(treeIn(model, kDenoiser)->weightsId());
            const tensor::NumericsScope scope(
                useComponents(context, model, {kDenoiser}, request.precision));
            return denoiseStage(context, known, call);
        });
    }

    WireRef upscaleLatent(const LatentUpscaleRequest& request, const StageCall& call) override {
        return withErrorsOf("upscale", [&] {
            StageContext context = contextOf("upscale latent", call);
            return upscaleLatentStage(context, request);
        });
    }

    WireRef decodeImage(const DecodeRequest& request, const StageCall& call) override {
        return withErrorsOf("decode", [&] {
            StageContext context = contextOf("decode", call);
            const tensor::NumericsScope scope(
                useComponents(context, modelIn(request.model), {kAutoencoder}, request.precision));
            return decodeStage(context, request, call);
        });
    }

    WireRef upscaleImage(const UpscaleRequest& request, const StageCall& call) override {
        return withErrorsOf("upscale", [&] {
            StageContext context = contextOf("upscale", call);
            return upscaleStage(context, request);
        });
    }

    WireRef upscaleWithModel(const UpscaleWithModelRequest& request,
                             const StageCall& call) override {
        return withErrorsOf("upscale", [&] {
            StageContext context = contextOf("upscale", call);
            const tensor::NumericsScope scope(useComponents(
                context, upscalerIn(request.upscaler), {kUpscaler}, request.precision));
            return upscaleWithModelStage(context, request, call);
        });
    }

    WireRef sharpenImage(const SharpenRequest& request, const StageCall& call) override {
        return withErrorsOf("sharpen", [&] {
            StageContext context = contextOf("sharpen", call);
            return sharpenStage(context, request);
        });
    }

    WireRef matchColour(const MatchColourRequest& request, const StageCall& call) override {
        return withErrorsOf("match colour", [&] {
            StageContext context = contextOf("match colour", call);
            return matchColourStage(context, request);
        });
    }

    WireRef addDetail(const DetailRequest& request, const StageCall& call) override {
        return withErrorsOf("detail", [&] {
            StageContext context = contextOf("detail", call);
            (void)useComponents(
                context, modelIn(request.model), {kAutoencoder, kDenoiser}, request.precision);
            return detailStage(context, request, call);
        });
    }

    std::vector<Image8> pictures(const WireRef& image) override {
        return withErrorsOf("picture", [&] { return tensor::image8(imagesIn(image).pixels()); });
    }

    std::string parametersText(const WireRef& image,
                               size_t picture,
                               const StopToken& stop) override {
        return withErrorsOf("picture", [&] {
            return parametersTextOf(imagesIn(image).provenance().ofPicture(picture),
                                    [&](const std::string& id) { return hashes_.of(id, stop); });
        });
    }

    WireRef editConditioning(const ConditioningEdit& edit, const StageCall&) override {
        return withErrorsOf("conditioning", [&] { return editedConditioning(edit); });
    }

    EncodeOutline outlineEncode(const EncodeRequest& request) override {
        return withErrorsOf("encode", [&] { return encodeOutline(request); });
    }

    StageOutline outlineConditioning(const std::vector<ConditioningShape>& inputs,
                                     const ConditioningEdit& edit) override {
        return withErrorsOf("conditioning", [&] { return conditioningOutline(inputs, edit); });
    }

    PictureOutline outlinePicture(int64_t heightPixels, int64_t widthPixels) override {
        return withErrorsOf("load", [&] { return pictureOutline(heightPixels, widthPixels); });
    }

    PictureOutline outlineFit(const FitShapes& shapes, const FitRequest& settings) override {
        return withErrorsOf("fit", [&] { return fitOutline(shapes, settings); });
    }

    StageOutline outlineComposite(const CompositeShapes& shapes,
                                  const CompositeRequest& settings) override {
        return withErrorsOf("composite", [&] { return compositeOutline(shapes, settings); });
    }

    StageOutline outlineGrowMask(const Shape& maskShape, const MaskGrowRequest& settings) override {
        return withErrorsOf("mask", [&] { return growMaskOutline(maskShape, settings); });
    }

    StageOutline outlineRepeatLatent(const Shape& latentShape,
                                     const WireRef& known,
                                     const LatentRepeatRequest& settings) override {
        return withErrorsOf("repeat",
                            [&] { return repeatLatentOutline(latentShape, known, settings); });
    }

    StageOutline outlineEmptyLatent(const EmptyLatentRequest& request) override {
        return {.outputType = "LATENT",
                .outputValue = std::make_shared<const LatentOutline>(emptyOutlineOf(request))};
    }

    StageOutline outlineEncodeImage(const ImageEncodeShapes& shapes,
                                    const ImageEncodeRequest& settings) override {
        return withErrorsOf("image encode", [&] { return imageEncodeOutline(shapes, settings); });
    }

    StageOutline outlineMask(const Shape& imageShape, const MaskRequest& settings) override {
        return withErrorsOf("mask", [&] { return maskOutline(imageShape, settings); });
    }

    StageOutline outlineDenoise(const DenoiseShapes& shapes,
                                const DenoiseRequest& settings) override {
        return withErrorsOf("denoise",
                            [&] { return denoiseOutline(shapes, identified(settings, {})); });
    }

    StageOutline outlineUpscaleLatent(const Shape& latentShape,
                                      const LatentUpscaleRequest& settings) override {
        return withErrorsOf("upscale", [&] { return latentUpscaleOutline(latentShape, settings); });
    }

    StageOutline outlineDecode(const Shape& latentShape, const DecodeRequest& settings) override {
        return withErrorsOf("decode", [&] { return decodeOutline(latentShape, settings); });
    }

    StageOutline outlineUpscale(const Shape& imageShape, const UpscaleRequest& settings) override {
        return withErrorsOf("upscale", [&] { return upscaleOutline(imageShape, settings); });
    }

    StageOutline outlineUpscaleWithModel(const Shape& imageShape,
                                         const UpscaleWithModelRequest& settings) override {
        return withErrorsOf("upscale",
                            [&] { return upscaleWithModelOutline(imageShape, settings); });
    }

    StageOutline outlineSharpen(const Shape& imageShape, const SharpenRequest& settings) override {
        return withErrorsOf("sharpen", [&] { return sharpenOutline(imageShape, settings); });
    }

    StageOutline outlineMatchColour(const Shape& imageShape,
                                    const Shape& referenceShape,
                                    const MatchColourRequest& settings) override {
        return withErrorsOf("match colour", [&] {
            return matchColourOutline(imageShape, referenceShape, settings);
        });
    }

    StageOutline outlineDetail(const DetailShapes& shapes, const DetailRequest& settings) override {
        return withErrorsOf("detail", [&] { return detailOutline(shapes, settings); });
    }

    StageOutline outlinePictures(const Shape& imageShape) override {
        return {.walk = [imageShape](const memory::StagePlace& place) {
            return withErrorsOf("picture", [&] { return walkPictures(imageShape, place); });
        }};
    }

    std::vector<ChoiceDesc> samplerChoices() override {
        std::vector<ChoiceDesc> choices = {{"checkpoint", "The checkpoint's own"}};
        for (const sampling::SamplerType& type : sampling::samplers()) {
            choices.push_back({type.name, type.label});
        }
        return choices;
    }

    std::vector<ChoiceDesc> componentChoices() override {
        std::vector<ChoiceDesc> choices = {{"all", "All"},
                                           {std::string(kTextEncoders), "Text encoders"}};
        const auto add = [&](const ComponentDesc& component) {
            const bool isKnown =
                std::any_of(choices.begin(), choices.end(), [&](const ChoiceDesc& choice) {
                    return choice.id == component.role;
                });
            if (!isKnown) {
                choices.push_back({component.role, component.label});
            }
        };
        for (const Family* family : families_) {
            std::for_each(family->components.begin(), family->components.end(), add);
        }
        add(upscalerComponent());
        return choices;
    }

private:
    CheckpointChoice chosen(const LoadRequest& request, std::string_view graphFolder) const {
        const auto find = [&](std::string_view path, const char* item) {
            return findCheckpoint(
                path, graphFolder, settings_.resourcesFolder, settings_.modelFolders, item);
        };
        CheckpointChoice choice{
            .checkpoint = find(request.checkpoint, "checkpoint"), .parts = {}, .prediction = {}};
        if (!trim(request.vae).empty()) {
            choice.parts["vae"] = find(request.vae, "vae");
        }
        if (request.prediction != "checkpoint") {
            choice.prediction = request.prediction;
        }
        return choice;
    }

    /// With the hash of its weights, for its step cache. A kept result, which never runs, is known
    /// by them too.
    DenoiseRequest identified(const DenoiseRequest& request, const StopToken& stop) {
        const auto tree = treeIn(modelIn(request.model), kDenoiser);
        hashes_.know(*tree);
        return withWeightsHash(
            request, [this, stop, id = tree->weightsId()] { return hashes_.digestOf(id, stop); });
    }

    StageContext contextOf(std::string_view stage, const StageCall& call) const {
        tensor::Recorder* recorder = settings_.recorder ? settings_.recorder() : nullptr;
        if (recorder) {
            recorder->beginStage(stage, call.node);
        }
        return {.weights = settings_.residency,
                .record = tensor::Record(recorder),
                .teacher = settings_.teacher ? settings_.teacher() : nullptr,
                .previewPace = settings_.previewPace};
    }

    StagesSettings settings_;
    Families families_;
    ModelCache models_;
    ModelHashes hashes_;
};

}  // namespace

std::unique_ptr<Stages> makeStages(StagesSettings settings) {
    return std::make_unique<ModelStages>(std::move(settings));
}

}  // namespace lowtide::models
