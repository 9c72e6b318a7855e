#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <string>
#include <vector>

namespace lowtide::nodes {

namespace {

struct EmptyLatentAsked {
    int64_t widthPixels = 512;
    int64_t heightPixels = 512;
    int64_t batch = 1;
};

struct EmptyVideoAsked {
    int64_t widthPixels = 832;
    int64_t heightPixels = 480;
    int64_t frames = 81;
    double rate = 16;  ///< frames a second
};

constexpr int64_t kLargestEmptySide = 1 << 16;
constexpr int64_t kLargestBatch = 4096;
constexpr int64_t kMostFrames = 4096;

void checkInRange(int64_t value, int64_t most, const char* item) {
    if (value < 1 || value > most) {
        throw Error(ErrorKind::InvalidInput,
                    message("the {} is {}", item, value),
                    message("choose a number from 1 to {}", most),
                    item);
    }
}

/// Error{InvalidInput} names the number that cannot be.
EmptyLatentSpec emptyLatentSpecOf(const EmptyLatentAsked& asked) {
    checkInRange(asked.widthPixels, kLargestEmptySide, "width");
    checkInRange(asked.heightPixels, kLargestEmptySide, "height");
    checkInRange(asked.batch, kLargestBatch, "batch");
    return {.size = {.width = asked.widthPixels, .height = asked.heightPixels},
            .batch = asked.batch};
}

/// The same of a video.
EmptyLatentSpec emptyLatentSpecOf(const EmptyVideoAsked& asked) {
    checkInRange(asked.widthPixels, kLargestEmptySide, "width");
    checkInRange(asked.heightPixels, kLargestEmptySide, "height");
    checkInRange(asked.frames, kMostFrames, "frames");
    if (!(asked.rate >= 0 && asked.rate <= kMostRate)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the rate is {}", formatNumber(asked.rate)),
                    message("choose a number above 0, at most {}", formatNumber(kMostRate)),
                    "rate");
    }
    return {
        .size = {.width = asked.widthPixels, .height = asked.heightPixels, .frames = asked.frames},
        .rate = asked.rate};
}

template <class Asked>
StageShapes emptyLatentShapes(const Asked& asked, StageFacts&) {
    return {.outputs = {latentOutput(emptyLatentSpecOf(asked))}};
}

template <class Asked>
std::vector<WireRef> emptyLatentStage(models::StageContext&, const Asked& asked, const StageCall&) {
    const EmptyLatentSpec empty = emptyLatentSpecOf(asked);
    return {std::make_shared<const tensor::EmptyLatents>(empty.size, empty.batch, empty.rate)};
}

template <class Asked>
StageDef<Asked> emptyLatentDef() {
    return {
        .name = "empty latent", .shape = emptyLatentShapes<Asked>, .run = emptyLatentStage<Asked>};
}

std::vector<Field<EmptyLatentAsked>> emptyLatentFields() {
    const char* size =
        "Size of the image. Must be a multiple of the autoencoder's factor, mostly 8.";
    return {param(&EmptyLatentAsked::widthPixels, emptySideParam("width", "Width", size)),
            param(&EmptyLatentAsked::heightPixels, emptySideParam("height", "Height", size)),
            param(&EmptyLatentAsked::batch,
                  {.id = "batch",
                   .label = "Batch",
                   .tooltip = "Images made at once; Denoise decides which seeds they get.",
                   .unit = "images",
                   .min = 1,
                   .max = 4096,
                   .softMin = 1,
                   .softMax = 16,
                   .step = 1})};
}

std::vector<Field<EmptyVideoAsked>> emptyVideoFields() {
    return {param(&EmptyVideoAsked::widthPixels, videoWidthParam()),
            param(&EmptyVideoAsked::heightPixels, videoHeightParam()),
            param(&EmptyVideoAsked::frames, videoFramesParam()),
            param(&EmptyVideoAsked::rate, videoRateParam())};
}

}  // namespace

executor::NodeType emptyLatentNode(Stages& stages) {
    return nodeOf<EmptyLatentAsked>(
        stages,
        {.desc = {.id = "latent.empty",
                  .label = "Empty latent",
                  .category = "Latent",
                  .tooltip = "The size of the images to make and how many of them; the denoiser "
                             "fills it with noise.",
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "An empty latent.",
                               .type = "LATENT"}}},
         .fields = emptyLatentFields(),
         .stage = emptyLatentDef<EmptyLatentAsked>()});
}

executor::NodeType emptyVideoNode(Stages& stages) {
    return nodeOf<EmptyVideoAsked>(
        stages,
        {.desc = {.id = "latent.video",
                  .label = "Empty video",
                  .category = "Latent",
                  .tooltip = "The size and length of the video to make; the denoiser fills it with "
                             "noise.",
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "An empty latent of a video.",
                               .type = "LATENT"}}},
         .fields = emptyVideoFields(),
         .stage = emptyLatentDef<EmptyVideoAsked>()});
}

}  // namespace lowtide::nodes
