#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_filters.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kHistogram = "histogram";
constexpr const char* kStatistics = "statistics";

void refuseMatch(const std::string& problem, const char* hint, const char* item) {
    throw Error(ErrorKind::InvalidInput, problem, hint, item);
}

/// Of pictures [B, 3, H, W] and references [1 or B, 3, h, w].
void checkMatchColour(const MatchColourRequest& settings) {
    const Shape image = shapeOf(settings.image);
    const Shape reference = shapeOf(settings.reference);
    if (settings.method != kHistogram && settings.method != kStatistics) {
        refuseMatch("there is no way \"" + settings.method + "\" to match colours",
                    "choose histogram or statistics",
                    "method");
    }
    if (!(settings.strength >= 0 && settings.strength <= 1)) {
        refuseMatch("the strength is " + formatNumber(settings.strength),
                    "choose a number from 0 to 1",
                    "strength");
    }
    if (reference[0] != 1 && reference[0] != image[0]) {
        refuseMatch(std::to_string(image[0]) + " pictures cannot be matched to " +
                        std::to_string(reference[0]),
                    "connect one reference, or one for each picture",
                    "reference");
    }
}

std::vector<WireRef> matchColourStage(models::StageContext& context,
                                      const MatchColourRequest& request,
                                      const StageCall&) {
    const tensor::Images& given = imagesIn(request.image);
    const at::Tensor& pixels = given.pixels();
    const tensor::Images& wanted = imagesIn(request.reference, "reference");
    checkMatchColour(request);
    const at::Tensor references = tensor::upload(wanted.pixels(), pixels.device());
    context.record.put("match_in", pixels);
    const auto match =
        request.method == kHistogram ? tensor::histogramMatched : tensor::statisticsMatched;
    at::Tensor result = at::empty_like(pixels);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        const at::Tensor one = pixels.narrow(0, i, 1);
        const at::Tensor reference = references.narrow(0, references.size(0) == 1 ? 0 : i, 1);
        result.narrow(0, i, 1).copy_(at::lerp(one, match(one, reference), request.strength));
    }
    context.record.put("match_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Colour match",
                       request.method + ", strength " + formatNumber(request.strength));
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes matchColourShapes(const MatchColourRequest& request, StageFacts&) {
    checkMatchColour(request);
    return {.outputs = {outputOf("IMAGE", shapeOf(request.image))}};
}

}  // namespace

const StageDef<MatchColourRequest>& stageOf(const MatchColourRequest&) {
    static const StageDef<MatchColourRequest> def{
        .name = "match colour",
        .wires = {{"image", &MatchColourRequest::image},
                  {"reference", &MatchColourRequest::reference}},
        .shape = matchColourShapes,
        .run = matchColourStage};
    return def;
}

}  // namespace lowtide::nodes
