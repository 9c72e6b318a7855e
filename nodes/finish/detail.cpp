#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/decode/decode.hpp"
#include "nodes/denoise/denoise.hpp"
#include "nodes/denoise/denoise_cache.hpp"
#include "nodes/denoise/denoise_checks.hpp"
#include "nodes/denoise/denoise_notes.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/encode/encode_image.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <set>

namespace lowtide::nodes {

namespace {

/// Every tile of images goes through the denoiser at a low strength.
struct DetailAsked {
    WireRef model;
    WireRef positive;
    WireRef negative;  ///< may be null, as of DenoiseAsked
    WireRef image;
    WireRef control;             ///< may be null; every tile gets its part of the hints
    WireRef imagePrompt;         ///< may be null; every tile follows the same images
    int64_t tilePixels = 512;    ///< side of a tile, 0: whole images
    int64_t overlapPixels = 64;  ///< of neighbouring tiles; at most half of a tile
    int steps = 20;
    double cfg = -1;    ///< below 0: the model's usual guidance
    uint64_t seed = 0;  ///< of the first tile; the next ones have seed + 1, ...
    std::string sampler = "checkpoint";
    std::string sigmas = "sampler";
    std::string spacing = "sampler";
    double strength = 0.3;
    memory::PrecisionChoice precision{};  ///< of both networks, by their roles where it names them
};

/// The autoencoder's forwards: encoding or decoding, with other leaves.
constexpr uint32_t kDecodes = 0;
constexpr uint32_t kEncodes = 1;

models::TileSizes detailTiles(const DetailAsked& asked, const models::Model& model) {
    const int64_t multiple = model.info().latent.multiple;
    if (asked.tilePixels == 0) {
        return {.multiple = multiple};
    }
    if (asked.tilePixels < 0 || asked.overlapPixels < 0 ||
        2 * asked.overlapPixels > asked.tilePixels) {
        throw Error(
            ErrorKind::InvalidInput,
            message(
                "tiles of {} pixels cannot overlap by {}", asked.tilePixels, asked.overlapPixels),
            message("choose a tile of 0 for whole images, or an overlap of at most half of it"),
            "overlap");
    }
    return {.side = asked.tilePixels, .overlap = asked.overlapPixels, .multiple = multiple};
}

/// Without what is a tile's own: its latent, hints and seed.
DenoiseAsked tileAsked(const DetailAsked& asked) {
    return {.model = asked.model,
            .positive = asked.positive,
            .negative = asked.negative,
            .steps = asked.steps,
            .cfg = guidanceOf(modelIn(asked.model).info(), asked.cfg),
            .seed = asked.seed,
            .sampler = asked.sampler,
            .sigmas = asked.sigmas,
            .spacing = asked.spacing,
            .strength = asked.strength};
}

void requireNoArea(const WireRef& conditioning, const char* port) {
    if (!conditioning) {
        return;
    }
    const models::ConditioningSpec spec = specAt(conditioning, port);
    for (const models::EntrySpec& entry : spec.entries()) {
        if (entry.scope.area || entry.tensors.contains(tensor::kPromptMask)) {
            throw Error(ErrorKind::InvalidInput,
                        message("a prompt for a part of the image cannot apply to the tiles of a "
                                "detail pass"),
                        message("connect the conditioning before its area or mask was set"),
                        port);
        }
    }
}

/// The way of one image: [1, 3, H, W] to `target`, which holds zeros.
class DetailPass {
public:
    DetailPass(models::StageContext& context, const DetailAsked& asked, const StageCall& call)
        : context_(context.ofPart()), asked_(asked), call_(call) {}

    /// `image`: of how many in the batch, for those hints that are one for each.
    void run(const models::FeatheredTiles& tiles,
             int64_t image,
             bool isLast,
             const at::Tensor& target) {
        cutHints(tiles, image);
        std::vector<WireRef> parts;
        for (int64_t i = 0; i < tiles.count(); ++i) {
            context_.forward = {.pattern = kEncodes,
                                .next = i + 1 < tiles.count() ? kEncodes : kDecodes};
            parts.push_back(encoded(tiles.tile(i)));
            call_.progress(
                "encode", static_cast<double>(i + 1), static_cast<double>(tiles.count()));
        }
        for (int64_t i = 0; i < tiles.count(); ++i) {
            WireRef& part = parts[static_cast<size_t>(i)];
            part = denoised(part, i, tiles.count());
        }
        for (int64_t i = 0; i < tiles.count(); ++i) {
            WireRef& part = parts[static_cast<size_t>(i)];
            context_.forward = {.pattern = kDecodes,
                                .next = i + 1 < tiles.count() || isLast ? kDecodes : kEncodes};
            tiles.show(i, decoded(part), 1, target);
            part = nullptr;
            call_.progress(
                "decode", static_cast<double>(i + 1), static_cast<double>(tiles.count()));
        }
    }

    /// Which ways of the autoencoder were computed again, for the image's metadata.
    [[nodiscard]] const tensor::Provenance::Fields& notes() const { return notes_; }

private:
    /// What is asked of the stages for tiles: no images in between, and no end between images,
    /// since a tile is none. "Now" still ends them before the next leaf. Denoising reports its
    /// progress; an issue of one tile is not reported again by the others.
    StageCall callForTiles(std::function<void(std::string_view, double, double)> progress =
                               [](std::string_view, double, double) {}) {
        StageCall quiet = call_;
        quiet.stop = StopToken();
        quiet.progress = std::move(progress);
        quiet.preview = {};
        quiet.issue = [this](Issue issue) {
            if (reported_.insert(issue.code).second) {
                call_.issue(std::move(issue));
            }
        };
        return quiet;
    }

    void keepNotes(const tensor::Provenance& ofTile) {
        for (const char* field : {kEncodeField, kDecodeField}) {
            for (const auto& [key, value] : ofTile.fields) {
                if (key == field && reported_.insert(key).second) {
                    notes_.emplace_back(key, value);
                }
            }
        }
    }

    /// LibTorch's switches of a network.
    [[nodiscard]] memory::SwitchStates switchesOf(std::string_view role) const {
        return context_.switchesOf(*treeIn(modelIn(asked_.model), role));
    }

    WireRef encoded(const at::Tensor& tile) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kAutoencoder));
        return encodeImages(
            context_,
            {.model = asked_.model,
             .image = std::make_shared<const tensor::Images>(tile, tensor::Provenance{}),
             .sampling = LatentSampling::Mean},
            callForTiles());
    }

    WireRef denoised(const WireRef& latent, int64_t index, int64_t count) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kDenoiser));
        DenoiseAsked ofTile = tileAsked(asked_);
        ofTile.latent = latent;
        ofTile.control = controlsOf(index);
        ofTile.imagePrompt = imagePromptsOf(index);
        ofTile.seed += static_cast<uint64_t>(index);
        const auto progress = [&](std::string_view phase, double done, double total) {
            call_.progress(phase,
                           static_cast<double>(index) * total + done,
                           static_cast<double>(count) * total);
        };
        return denoiseLatents(context_, ofTile, callForTiles(progress));
    }

    at::Tensor decoded(const WireRef& latent) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kAutoencoder));
        const WireRef image =
            decodeLatents(context_, {.model = asked_.model, .latent = latent}, callForTiles());
        keepNotes(imagesIn(image).provenance());
        return imagesIn(image).pixels();
    }

    /// The hints of an image at its size, cut as it is.
    void cutHints(const models::FeatheredTiles& tiles, int64_t image) {
        cutMasks(tiles, image);
        hints_.clear();
        const Controls* controls = controlsIn(asked_.control);
        if (!controls) {
            return;
        }
        const models::Model& model = modelIn(asked_.model);
        const c10::Device device = context_.deviceOf(*treeIn(model, models::kDenoiser));
        for (const ControlEntry& entry : controls->entries()) {
            const int64_t row = entry.hintShape.at(0) == 1 ? 0 : image;
            const at::Tensor hint = tensor::upload(entry.hint.narrow(0, row, 1), device);
            hints_.emplace_back(tensor::resizedImage(hint, tiles.height(), tiles.width()),
                                detailTiles(asked_, model));
        }
    }

    /// The masks of images to follow, likewise.
    void cutMasks(const models::FeatheredTiles& tiles, int64_t image) {
        masks_.clear();
        const ImagePrompts* prompts = imagePromptsIn(asked_.imagePrompt);
        if (!prompts) {
            return;
        }
        const models::Model& model = modelIn(asked_.model);
        const c10::Device device = context_.deviceOf(*treeIn(model, models::kDenoiser));
        for (const ImagePromptEntry& entry : prompts->entries()) {
            if (entry.maskShape.empty()) {
                masks_.emplace_back();
                continue;
            }
            const int64_t row = entry.maskShape.at(0) == 1 ? 0 : image;
            const at::Tensor mask = tensor::upload(entry.mask.narrow(0, row, 1), device);
            masks_.emplace_back(models::FeatheredTiles(
                at::upsample_bilinear2d(
                    mask, {tiles.height(), tiles.width()}, /*align_corners=*/false),
                detailTiles(asked_, model)));
        }
    }

    /// With the parts of the masks where a tile is.
    WireRef imagePromptsOf(int64_t tile) const {
        if (masks_.empty()) {
            return nullptr;
        }
        std::vector<ImagePromptEntry> entries = imagePromptsIn(asked_.imagePrompt)->entries();
        for (size_t i = 0; i < entries.size(); ++i) {
            if (masks_[i]) {
                entries[i].mask = masks_[i]->tile(tile);
                entries[i].maskShape = entries[i].mask.sizes().vec();
            }
        }
        return std::make_shared<const ImagePrompts>(std::move(entries));
    }

    /// With the parts of the hints where a tile is; null: there are none.
    WireRef controlsOf(int64_t tile) const {
        if (hints_.empty()) {
            return nullptr;
        }
        std::vector<ControlEntry> entries = controlsIn(asked_.control)->entries();
        for (size_t i = 0; i < entries.size(); ++i) {
            entries[i].hint = hints_[i].tile(tile);
            entries[i].hintShape = entries[i].hint.sizes().vec();
        }
        return std::make_shared<const Controls>(std::move(entries));
    }

    models::StageContext context_;
    const DetailAsked& asked_;
    const StageCall& call_;
    std::vector<models::FeatheredTiles> hints_;  ///< of the image that is being made
    std::vector<std::optional<models::FeatheredTiles>>
        masks_;  ///< likewise, of each of the entries
    std::set<std::string> reported_;
    tensor::Provenance::Fields notes_;
};

void addDetailFields(tensor::Provenance& provenance,
                     const DetailAsked& asked,
                     const tensor::Provenance::Fields& notes) {
    if (!provenance.fields.empty()) {
        provenance.set("Detail pass",
                       "strength " + formatNumber(asked.strength) + ", steps " +
                           std::to_string(asked.steps) + ", seed " + std::to_string(asked.seed) +
                           ", tile " + std::to_string(asked.tilePixels));
    }
    for (const auto& [key, value] : notes) {
        provenance.set(key, value);
    }
}

void checkDetail(const DetailAsked& asked) {
    const models::Model& model = modelIn(asked.model);
    const Shape image = shapeOf(asked.image);
    requireImages(model, message("a detail pass"));
    const models::TileSizes sizes = detailTiles(asked, model);
    requireNoArea(asked.positive, "positive");
    requireNoArea(asked.negative, "negative");
    const DenoiseAsked ofTile = tileAsked(asked);
    requireThat(!keepsLatent(ofTile),
                message("a strength of 0 adds no detail"),
                message("choose a higher strength, or leave the node out"),
                "strength");
    (void)makeSampler(model, ofTile);
    const models::TileSpan row = cutSide(image[2], sizes).front();
    const models::TileSpan column = cutSide(image[3], sizes).front();
    const models::ImageSize tile{.width = column.end - column.begin, .height = row.end - row.begin};
    const Shape latent = latentShapeFor(model, tile, 1, "image");
    checkInpainting(model, ofTile, {.latent = latent, .isEmpty = false});
    if (const Controls* controls = controlsIn(asked.control)) {
        checkControls(model, *controls, {image[0], latent[1], latent[2], latent[3]});
    }
    if (const ImagePrompts* prompts = imagePromptsIn(asked.imagePrompt)) {
        checkImagePrompts(model, *prompts, {image[0], latent[1], latent[2], latent[3]});
    }
}

StageShapes detailShapes(const DetailAsked& asked, StageFacts& facts) {
    checkDetail(asked);
    const models::Model& model = modelIn(asked.model);
    const DenoiseAsked ofTile = tileAsked(asked);
    const auto sampler = makeSampler(model, ofTile);
    memory::ComponentPrecision& ofDenoiser =
        *std::find_if(facts.precisions.begin(), facts.precisions.end(), [](const auto& each) {
            return each.role == models::kDenoiser;
        });
    const memory::Judgement judgement = judgeDenoise(model, ofTile, *sampler, ofDenoiser);
    ofDenoiser.reuse = judgement.reuse;
    StageShapes shapes{.outputs = {outputOf("IMAGE", shapeOf(asked.image))},
                       .issues = warningsOf(judgement),
                       .fingerprints = guidanceFingerprints(model.info(), asked.cfg)};
    for (const Issues& more :
         {scheduleWarnings(model, ofTile, *sampler), guidanceNotes(model.info(), asked.cfg)}) {
        shapes.issues.insert(shapes.issues.end(), more.begin(), more.end());
    }
    return shapes;
}

/// Images of which every tile was denoised a little: per image all tiles are encoded, then
/// denoised, then decoded and faded into each other, so that each network is needed once. Tile k in
/// reading order has the seed + k, in every image of a batch. LibTorch's switches are each
/// network's while it runs. Polls "cancel after this image" between images and "now" before every
/// tile and leaf. Records detail_in and detail_out.
std::vector<WireRef> detailStage(models::StageContext& context,
                                 const DetailAsked& asked,
                                 const StageCall& call) {
    const models::Model& model = modelIn(asked.model);
    const tensor::Images& given = imagesIn(asked.image);
    checkDetail(asked);
    const c10::Device device = context.deviceOf(*treeIn(model, models::kAutoencoder));
    const at::Tensor pixels = tensor::upload(given.pixels(), device);
    context.record.put("detail_in", pixels);
    at::Tensor result = at::zeros(pixels.sizes(), pixels.options());
    DetailPass detail(context, asked, call);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const models::FeatheredTiles tiles(pixels.narrow(0, i, 1), detailTiles(asked, model));
        detail.run(tiles, i, i + 1 == pixels.size(0), result.narrow(0, i, 1));
    }
    context.record.put("detail_out", result);
    tensor::Provenance provenance = given.provenance();
    addDetailFields(provenance, asked, detail.notes());
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

std::vector<Field<DetailAsked>> detailWires() {
    return {input(&DetailAsked::model,
                  {"model", "Model", "Its autoencoder and its denoiser are used.", "MODEL"}),
            input(&DetailAsked::positive,
                  {"positive",
                   "Positive",
                   "What the tiles should show; general words work best.",
                   "CONDITIONING"}),
            input(&DetailAsked::negative,
                  {"negative",
                   "Negative",
                   "What they should not show; needed when guidance is above 1.",
                   "CONDITIONING",
                   /*optional=*/true}),
            input(&DetailAsked::image, {"image", "Image", "The images.", "IMAGE"}),
            input(&DetailAsked::control,
                  {"control",
                   "Control",
                   "Hints that ControlNets follow; every tile gets its part of them.",
                   "CONTROL",
                   /*optional=*/true}),
            input(&DetailAsked::imagePrompt,
                  {"image_prompt",
                   "Image prompt",
                   "What IP-Adapters read in images, for every tile.",
                   "IMAGE_PROMPT",
                   /*optional=*/true})};
}

std::vector<Field<DetailAsked>> detailFields() {
    std::vector<Field<DetailAsked>> fields = detailWires();
    const std::vector<Field<DetailAsked>> params = {
        param(&DetailAsked::strength,
              fractionParam("strength",
                            "Strength",
                            "How much of each tile is regenerated: the last steps of the schedule "
                            "that are taken, as a fraction of all.")),
        param(&DetailAsked::tilePixels,
              imageTileParam("Side of the tiles, best the size for which the model was trained; 0 "
                             "takes images whole.")),
        param(&DetailAsked::overlapPixels,
              overlapParam("By how much tiles overlap and fade into each other, at most half of a "
                           "tile.")),
        param(&DetailAsked::steps, stepsParam()),
        param(&DetailAsked::cfg, guidanceParam()),
        param(&DetailAsked::seed,
              seedParam("Start of the noise of the first tile; the next ones have seed + 1, + 2, "
                        "...")),
        param(&DetailAsked::sampler, samplerParam()),
        param(&DetailAsked::sigmas, sigmasParam()),
        param(&DetailAsked::spacing, spacingParam())};
    fields.insert(fields.end(), params.begin(), params.end());
    return fields;
}

}  // namespace

executor::NodeType detailNode(Stages& stages) {
    return nodeOf<DetailAsked>(
        stages,
        {.desc = {.id = "finish.detail",
                  .label = "Add detail",
                  .category = "Finish",
                  .tooltip = "Lets the model redraw fine detail, tile by tile, at a low strength.",
                  .version = 2,  // what a strength takes of a flow's steps
                  .components = {"autoencoder", "denoiser", "controlnet*"},
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The images with more detail.",
                               .type = "IMAGE"}}},
         .fields = detailFields(),
         .stage = {.name = "detail",
                   .source =
                       [](const DetailAsked& asked) {
                           return withControls(
                               withImagePrompts(modelIn(asked.model), asked.imagePrompt),
                               asked.control);
                       },
                   .roles = {models::kAutoencoder, models::kDenoiser},
                   .addedRoles = {models::kControlNets},
                   .hasOwnSwitches = true,
                   .shape = detailShapes,
                   .run = detailStage,
                   .tilePixels = &DetailAsked::tilePixels},
         .collectAfter = "denoise"});
}

}  // namespace lowtide::nodes
