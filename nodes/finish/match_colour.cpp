#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/image_filters.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

/// A way to match an image [1, 3, H, W] to another one.
struct ColourMatch {
    const char* id;
    at::Tensor (*match)(const at::Tensor& image, const at::Tensor& reference);
};

constexpr ColourMatch kHistogramMatch{"histogram", tensor::histogramMatched};
constexpr ColourMatch kStatisticsMatch{"statistics", tensor::statisticsMatched};

/// The colours of another image.
struct MatchColourAsked {
    WireRef image;
    WireRef reference;  ///< one image, or one for each
    const ColourMatch* method = &kHistogramMatch;
    double strength = 1;  ///< fraction of the matched image in the result
};

/// Of images [B, 3, H, W] and references [1 or B, 3, h, w].
void checkMatchColour(const MatchColourAsked& asked) {
    const Shape image = shapeOf(asked.image);
    const Shape reference = shapeOf(asked.reference);
    requireThat(asked.strength >= 0 && asked.strength <= 1,
                message("the strength is {}", formatNumber(asked.strength)),
                message("choose a number from 0 to 1"),
                "strength");
    if (reference[0] != 1 && reference[0] != image[0]) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} images cannot be matched to {}", image[0], reference[0]),
                    message("connect one reference, or one for each image"),
                    "reference");
    }
}

std::vector<WireRef> matchColourStage(models::StageContext& context,
                                      const MatchColourAsked& asked,
                                      const StageCall&) {
    const tensor::Images& given = imagesIn(asked.image);
    const at::Tensor& pixels = given.pixels();
    const tensor::Images& wanted = imagesIn(asked.reference, "reference");
    checkMatchColour(asked);
    const at::Tensor references = tensor::upload(wanted.pixels(), pixels.device());
    context.record.put("match_in", pixels);
    at::Tensor result = at::empty_like(pixels);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        const at::Tensor one = pixels.narrow(0, i, 1);
        const at::Tensor reference = references.narrow(0, references.size(0) == 1 ? 0 : i, 1);
        result.narrow(0, i, 1).copy_(
            at::lerp(one, asked.method->match(one, reference), asked.strength));
    }
    context.record.put("match_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set(
            "Colour match",
            std::string(asked.method->id) + ", strength " + formatNumber(asked.strength));
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes matchColourShapes(const MatchColourAsked& asked, StageFacts&) {
    checkMatchColour(asked);
    return {.outputs = {outputOf("IMAGE", shapeOf(asked.image))}};
}

std::vector<Field<MatchColourAsked>> matchColourFields() {
    return {
        input(&MatchColourAsked::image, {"image", "Image", "The images.", "IMAGE"}),
        input(&MatchColourAsked::reference,
              {"reference",
               "Reference",
               "Whose colours they get: one image, or one for each; any size.",
               "IMAGE"}),
        choice(&MatchColourAsked::method,
               {.id = "method",
                .label = "Method",
                .tooltip = "What is made equal: how often each level occurs in red, green and "
                           "blue, or mean and spread of lightness and colour."},
               {{kHistogramMatch.id, "Histograms", &kHistogramMatch},
                {kStatisticsMatch.id, "Mean and deviation (Lab)", &kStatisticsMatch}}),
        param(&MatchColourAsked::strength,
              fractionParam("strength",
                            "Strength",
                            "Fraction of the new colours in the result; 0 leaves all as it is."))};
}

}  // namespace

executor::NodeType matchColourNode(Stages& stages) {
    return nodeOf<MatchColourAsked>(
        stages,
        {.desc = {.id = "finish.match_colour",
                  .label = "Match colour",
                  .category = "Finish",
                  .tooltip = "Gives images the colours of another image.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The images in those colours.",
                               .type = "IMAGE"}}},
         .fields = matchColourFields(),
         .stage = {.name = "match colour", .shape = matchColourShapes, .run = matchColourStage}});
}

}  // namespace lowtide::nodes
