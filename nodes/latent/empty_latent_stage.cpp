#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_requests.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::nodes {

namespace {

constexpr int64_t kLargestEmptySide = 1 << 16;
constexpr int64_t kLargestBatch = 4096;
constexpr int64_t kMostFrames = 4096;

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
    if (!(request.rate >= 0 && request.rate <= kMostRate)) {
        throw Error(ErrorKind::InvalidInput,
                    "the rate is " + formatNumber(request.rate),
                    "choose a number above 0, at most " + formatNumber(kMostRate),
                    "rate");
    }
    return {.size = {.width = request.widthPixels,
                     .height = request.heightPixels,
                     .frames = request.frames},
            .batch = request.batch,
            .rate = request.rate};
}

StageShapes emptyLatentShapes(const EmptyLatentRequest& request, StageFacts&) {
    return {.outputs = {latentOutput(emptyOutlineOf(request))}};
}

std::vector<WireRef> emptyLatentStage(models::StageContext&,
                                      const EmptyLatentRequest& request,
                                      const StageCall&) {
    const EmptyOutline empty = emptyOutlineOf(request);
    return {std::make_shared<const tensor::EmptyLatents>(empty.size, empty.batch, empty.rate)};
}

}  // namespace

const StageDef<EmptyLatentRequest>& stageOf(const EmptyLatentRequest&) {
    static const StageDef<EmptyLatentRequest> def{
        .name = "empty latent", .shape = emptyLatentShapes, .run = emptyLatentStage};
    return def;
}

}  // namespace lowtide::nodes
