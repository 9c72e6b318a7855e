#include "nodes/conditioning/conditioning_stage.hpp"
#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/decode/decode_stage.hpp"
#include "nodes/denoise/denoise_request.hpp"
#include "nodes/denoise/denoise_stage.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/encode/image_encode_stage.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <set>

namespace lowtide::nodes {

namespace {

/// The autoencoder's passes: one way or the other, with other leaves.
constexpr uint32_t kDecodes = 0;
constexpr uint32_t kEncodes = 1;

models::TileSizes detailTiles(const DetailRequest& settings, const models::Model& model) {
    const int64_t multiple = model.info().latent.multiple;
    if (settings.tilePixels == 0) {
        return {.multiple = multiple};
    }
    if (settings.tilePixels < 0 || settings.overlapPixels < 0 ||
        2 * settings.overlapPixels > settings.tilePixels) {
        throw Error(ErrorKind::InvalidInput,
                    "tiles of " + std::to_string(settings.tilePixels) +
                        " pixels cannot overlap by " + std::to_string(settings.overlapPixels),
                    "choose a tile of 0 for whole pictures, or an overlap of at most half of it",
                    "overlap");
    }
    return {.side = settings.tilePixels, .overlap = settings.overlapPixels, .multiple = multiple};
}

/// Of one tile.
DenoiseRequest denoiseRequest(const DetailRequest& request) {
    return {.model = request.model,
            .positive = request.positive,
            .negative = request.negative,
            .steps = request.steps,
            .cfg = request.cfg,
            .seed = request.seed,
            .sampler = request.sampler,
            .sigmas = request.sigmas,
            .spacing = request.spacing,
            .strength = request.strength};
}

void requireNoArea(const WireRef& conditioning, const char* port) {
    if (!conditioning) {
        return;
    }
    const models::ConditioningOutline outline =
        outlineOf(conditioningShapeOf(conditioning, port), port);
    for (const models::EntryOutline& entry : outline.entries()) {
        if (entry.scope.area) {
            throw Error(ErrorKind::InvalidInput,
                        "a prompt for an area has no place in the tiles of a detail pass",
                        "connect the conditioning before its area was set",
                        port);
        }
    }
}

/// The way of one picture: [1, 3, H, W] to `target`, which holds zeros.
class DetailPass {
public:
    DetailPass(models::StageContext& context, const DetailRequest& request, const StageCall& call)
        : context_(context.ofPart()), request_(request), call_(call) {}

    /// `picture`: of how many in the batch, for those hints that are one for each.
    void run(const models::FeatheredTiles& tiles,
             int64_t picture,
             bool isLast,
             const at::Tensor& target) {
        cutHints(tiles, picture);
        std::vector<WireRef> parts;
        for (int64_t i = 0; i < tiles.count(); ++i) {
            context_.pass = {.pattern = kEncodes,
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
            context_.pass = {.pattern = kDecodes,
                             .next = i + 1 < tiles.count() || isLast ? kDecodes : kEncodes};
            tiles.show(i, decoded(part), 1, target);
            part = nullptr;
            call_.progress(
                "decode", static_cast<double>(i + 1), static_cast<double>(tiles.count()));
        }
    }

    /// Which ways of the autoencoder were computed again, for the picture's metadata.
    [[nodiscard]] const tensor::Provenance::Fields& notes() const { return notes_; }

private:
    /// What is asked of the stages for tiles: no progress, no pictures between, and no end between
    /// pictures, since a tile is none. "Now" still ends them before the next leaf. What one tile
    /// tells is not told again by the others.
    StageCall callForTiles(std::function<void(std::string_view, double, double)> progress =
                               [](std::string_view, double, double) {}) {
        StageCall quiet = call_;
        quiet.stop = StopToken();
        quiet.progress = std::move(progress);
        quiet.preview = {};
        quiet.issue = [this](Issue issue) {
            if (told_.insert(issue.code).second) {
                call_.issue(std::move(issue));
            }
        };
        return quiet;
    }

    void keepNotes(const tensor::Provenance& ofTile) {
        for (const char* field : {kEncodeField, kDecodeField}) {
            for (const auto& [key, value] : ofTile.fields) {
                if (key == field && told_.insert(key).second) {
                    notes_.emplace_back(key, value);
                }
            }
        }
    }

    /// LibTorch's switches of a network.
    [[nodiscard]] memory::SwitchStates switchesOf(std::string_view role) const {
        return context_.switchesOf(*treeIn(modelIn(request_.model), role));
    }

    WireRef encoded(const at::Tensor& tile) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kAutoencoder));
        return imageEncodeStage(
            context_,
            {.model = request_.model,
             .image = std::make_shared<const tensor::Images>(tile, tensor::Provenance{}),
             .sampling = "mean"},
            callForTiles());
    }

    WireRef denoised(const WireRef& latent, int64_t index, int64_t count) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kDenoiser));
        DenoiseRequest request = denoiseRequest(request_);
        request.latent = latent;
        request.control = controlsOf(index);
        request.imagePrompt = imagePromptsOf(index);
        request.seed += static_cast<uint64_t>(index);
        const auto progress = [&](std::string_view phase, double done, double total) {
            call_.progress(phase,
                           static_cast<double>(index) * total + done,
                           static_cast<double>(count) * total);
        };
        return denoiseStage(context_, request, callForTiles(progress));
    }

    at::Tensor decoded(const WireRef& latent) {
        call_.stop.throwIfStopped();
        const tensor::NumericsScope scope(switchesOf(models::kAutoencoder));
        const WireRef image =
            decodeStage(context_, {.model = request_.model, .latent = latent}, callForTiles());
        keepNotes(imagesIn(image).provenance());
        return imagesIn(image).pixels();
    }

    /// The hints of a picture at its size, cut as it is.
    void cutHints(const models::FeatheredTiles& tiles, int64_t picture) {
        cutMasks(tiles, picture);
        hints_.clear();
        const Controls* controls = controlsIn(request_.control);
        if (!controls) {
            return;
        }
        const models::Model& model = modelIn(request_.model);
        const c10::Device device = context_.deviceOf(*treeIn(model, models::kDenoiser));
        for (const ControlEntry& entry : controls->entries()) {
            const int64_t row = entry.hintShape.at(0) == 1 ? 0 : picture;
            const at::Tensor hint = tensor::upload(entry.hint.narrow(0, row, 1), device);
            hints_.emplace_back(tensor::resizedPicture(hint, tiles.height(), tiles.width()),
                                detailTiles(request_, model));
        }
    }

    /// The masks of pictures to follow, likewise.
    void cutMasks(const models::FeatheredTiles& tiles, int64_t picture) {
        masks_.clear();
        const ImagePrompts* prompts = imagePromptsIn(request_.imagePrompt);
        if (!prompts) {
            return;
        }
        const models::Model& model = modelIn(request_.model);
        const c10::Device device = context_.deviceOf(*treeIn(model, models::kDenoiser));
        for (const ImagePromptEntry& entry : prompts->entries()) {
            if (entry.maskShape.empty()) {
                masks_.emplace_back();
                continue;
            }
            const int64_t row = entry.maskShape.at(0) == 1 ? 0 : picture;
            const at::Tensor mask = tensor::upload(entry.mask.narrow(0, row, 1), device);
            masks_.emplace_back(models::FeatheredTiles(
                at::upsample_bilinear2d(
                    mask, {tiles.height(), tiles.width()}, /*align_corners=*/false),
                detailTiles(request_, model)));
        }
    }

    /// With the parts of the masks where a tile is.
    WireRef imagePromptsOf(int64_t tile) const {
        if (masks_.empty()) {
            return nullptr;
        }
        std::vector<ImagePromptEntry> entries = imagePromptsIn(request_.imagePrompt)->entries();
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
        std::vector<ControlEntry> entries = controlsIn(request_.control)->entries();
        for (size_t i = 0; i < entries.size(); ++i) {
            entries[i].hint = hints_[i].tile(tile);
            entries[i].hintShape = entries[i].hint.sizes().vec();
        }
        return std::make_shared<const Controls>(std::move(entries));
    }

    models::StageContext context_;
    const DetailRequest& request_;
    const StageCall& call_;
    std::vector<models::FeatheredTiles> hints_;  ///< of the picture that is being made
    std::vector<std::optional<models::FeatheredTiles>>
        masks_;  ///< likewise, of each of the entries
    std::set<std::string> told_;
    tensor::Provenance::Fields notes_;
};

void describeDetail(tensor::Provenance& provenance,
                    const DetailRequest& request,
                    const tensor::Provenance::Fields& notes) {
    if (!provenance.fields.empty()) {
        provenance.set("Detail pass",
                       "strength " + formatNumber(request.strength) + ", steps " +
                           std::to_string(request.steps) + ", seed " +
                           std::to_string(request.seed) + ", tile " +
                           std::to_string(request.tilePixels));
    }
    for (const auto& [key, value] : notes) {
        provenance.set(key, value);
    }
}

void checkDetail(const DetailRequest& settings) {
    const models::Model& model = modelIn(settings.model);
    const Shape image = shapeOf(settings.image);
    requirePictures(model, "a detail pass");
    const models::TileSizes sizes = detailTiles(settings, model);
    requireNoArea(settings.positive, "positive");
    requireNoArea(settings.negative, "negative");
    const DenoiseRequest request = denoiseRequest(settings);
    requireThat(!keepsLatent(request),
                "a strength of 0 adds no detail",
                "choose a higher strength, or leave the node out",
                "strength");
    (void)makeSampler(model, request);
    const models::TileSpan row = cutSide(image[2], sizes).front();
    const models::TileSpan column = cutSide(image[3], sizes).front();
    const models::PictureSize tile{.width = column.end - column.begin,
                                   .height = row.end - row.begin};
    const Shape latent = latentShapeFor(model, tile, 1, "image");
    checkInpainting(model, request, {.latent = latent, .isEmpty = false});
    if (const Controls* controls = controlsIn(settings.control)) {
        checkControls(model, *controls, {image[0], latent[1], latent[2], latent[3]});
    }
    if (const ImagePrompts* prompts = imagePromptsIn(settings.imagePrompt)) {
        checkImagePrompts(model, *prompts, {image[0], latent[1], latent[2], latent[3]});
    }
}

StageShapes detailShapes(const DetailRequest& request, StageFacts& facts) {
    checkDetail(request);
    const models::Model& model = modelIn(request.model);
    const DenoiseRequest ofTile = denoiseRequest(request);
    const auto sampler = makeSampler(model, ofTile);
    memory::ComponentPrecision& ofDenoiser =
        *std::find_if(facts.precisions.begin(), facts.precisions.end(), [](const auto& each) {
            return each.role == models::kDenoiser;
        });
    const memory::Judgement judgement = judgeDenoise(model, ofTile, *sampler, ofDenoiser);
    ofDenoiser.reuse = judgement.reuse;
    StageShapes shapes{.outputs = {outputOf("IMAGE", shapeOf(request.image))},
                       .issues = warningsOf(judgement)};
    const Issues ofSchedule = scheduleWarnings(model, ofTile, *sampler);
    shapes.issues.insert(shapes.issues.end(), ofSchedule.begin(), ofSchedule.end());
    return shapes;
}

/// Pictures of which every tile was denoised a little: per picture all tiles are encoded, then
/// denoised, then decoded and faded into each other, so that each network is needed once. Tile k in
/// reading order has the seed + k, in every picture of a batch. LibTorch's switches are each
/// network's while it runs. Polls "cancel after this image" between pictures and "now" before every
/// tile and leaf. Records detail_in and detail_out.
std::vector<WireRef> detailStage(models::StageContext& context,
                                 const DetailRequest& request,
                                 const StageCall& call) {
    const models::Model& model = modelIn(request.model);
    const tensor::Images& given = imagesIn(request.image);
    checkDetail(request);
    const c10::Device device = context.deviceOf(*treeIn(model, models::kAutoencoder));
    const at::Tensor pixels = tensor::upload(given.pixels(), device);
    context.record.put("detail_in", pixels);
    at::Tensor result = at::zeros(pixels.sizes(), pixels.options());
    DetailPass pass(context, request, call);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const models::FeatheredTiles tiles(pixels.narrow(0, i, 1), detailTiles(request, model));
        pass.run(tiles, i, i + 1 == pixels.size(0), result.narrow(0, i, 1));
    }
    context.record.put("detail_out", result);
    tensor::Provenance provenance = given.provenance();
    describeDetail(provenance, request, pass.notes());
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

}  // namespace

const StageDef<DetailRequest>& stageOf(const DetailRequest&) {
    static const StageDef<DetailRequest> def{
        .name = "detail",
        .wires = {{"model", &DetailRequest::model},
                  {"positive", &DetailRequest::positive},
                  {"negative", &DetailRequest::negative},
                  {"image", &DetailRequest::image},
                  {"control", &DetailRequest::control},
                  {"image_prompt", &DetailRequest::imagePrompt}},
        .source =
            [](const DetailRequest& request) {
                return withControls(withImagePrompts(modelIn(request.model), request.imagePrompt),
                                    request.control);
            },
        .roles = {models::kAutoencoder, models::kDenoiser},
        .addedRoles = {models::kControlNets},
        .hasOwnSwitches = true,
        .shape = detailShapes,
        .run = detailStage,
        .tile = {"tile", &DetailRequest::tilePixels}};
    return def;
}

}  // namespace lowtide::nodes
