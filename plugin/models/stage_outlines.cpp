#include "plugin/models/stage_outlines.hpp"

#include "plugin/base/text.hpp"
#include "plugin/models/conditioning/conditioning_outline.hpp"
#include "plugin/models/conditioning/conditioning_stage.hpp"
#include "plugin/models/decode_stage.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/inpaint_inputs.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/latent_upscale_stage.hpp"
#include "plugin/models/outline_parts.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/schedule_warnings.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/step_cache_input.hpp"
#include "plugin/models/text/unread_syntax.hpp"
#include "plugin/models/upscale_stage.hpp"
#include "plugin/models/upscale_with_model_stage.hpp"
#include "plugin/models/walk/stage_walks.hpp"
#include "plugin/sampling/pass_part.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/generator.hpp"
#include "plugin/tensor/numerics_scope.hpp"

namespace lowtide::models {

namespace {

/// An output that is `conditioning`.
StageOutline conditioningOutput(const ConditioningOutline& conditioning) {
    return {.components = {},
            .outputType = "CONDITIONING",
            .outputShape = conditioning.shape(),
            .outputValue = std::make_shared<const ConditioningOutline>(conditioning),
            .tensors = conditioning.tensors()};
}

void warnOfCut(Issues& issues, int64_t tokens, const std::string& item) {
    if (tokens > 0) {
        issues.push_back({.severity = Severity::Warning,
                          .code = "prompt_cut",
                          .item = item,
                          .message = std::to_string(tokens) +
                                     " tokens at the end of the text are left out: it is longer "
                                     "than the text encoder reads at once",
                          .hint = "choose the weights a1111, which read a text of any length, "
                                  "or shorten it"});
    }
}

void warnOfSyntax(Issues& issues,
                  const std::string& text,
                  const std::string& weights,
                  const char* item) {
    std::vector<std::string> written;
    std::vector<std::string> hints;
    for (const UnreadSyntax& found : unreadSyntax(text, promptWeightsNamed(weights))) {
        written.push_back(quotedName(found.written) + " (elsewhere " + found.meaning + ")");
        if (hints.empty() || hints.back() != found.hint) {
            hints.push_back(found.hint);
        }
    }
    if (!written.empty()) {
        issues.push_back({.severity = Severity::Warning,
                          .code = "prompt_syntax",
                          .item = item,
                          .message = "with the weights " + weights +
                                     " this is read as words: " + join(written, ", "),
                          .hint = join(hints, "; ")});
    }
}

/// Of what is set and the checkpoint has no use for.
void warnOfUnused(Issues& issues, const Model& model, const EncodeRequest& request) {
    std::vector<std::string> set;
    for (const auto& [name, text] :
         {std::pair("prompt_2", &request.prompt2), std::pair("negative_2", &request.negative2)}) {
        if (!text->empty()) {
            set.emplace_back(name);
        }
    }
    for (const auto& [name, number] : request.numbers) {
        set.push_back(name);
    }
    for (const std::string& name : set) {
        if (!model.info().conditioning.takes(name)) {
            issues.push_back({.severity = Severity::Warning,
                              .code = "prompt_unused",
                              .item = name,
                              .message = model.info().checkpoint + " has no use for " + name +
                                         ", which is left out",
                              .hint = "set it back to its default, or choose a checkpoint that "
                                      "reads it"});
        }
    }
}

Issues promptWarnings(const Model& model,
                      const EncodeRequest& request,
                      const PromptsOutline& prompts) {
    Issues issues;
    warnOfUnused(issues, model, request);
    for (const auto& [item, tokens] : prompts.cutTokens) {
        warnOfCut(issues, tokens, item);
    }
    warnOfSyntax(issues, request.prompt, request.weights, "prompt");
    warnOfSyntax(issues, request.negative, request.weights, "negative");
    warnOfSyntax(issues, request.prompt2, request.weights, "prompt_2");
    warnOfSyntax(issues, request.negative2, request.weights, "negative_2");
    return issues;
}

}  // namespace

PromptRequest promptsOf(const EncodeRequest& request) {
    return {.prompt = request.prompt,
            .negative = request.negative,
            .prompt2 = request.prompt2,
            .negative2 = request.negative2,
            .clipSkip = request.clipSkip,
            .weights = request.weights,
            .numbers = request.numbers};
}

EncodeOutline encodeOutline(const EncodeRequest& asked) {
    EncodeRequest request = asked;
    const std::vector<std::string> roles = modelIn(request.model).info().textEncoders;
    const auto precisions = usePrecisions(request.model, roles, request.precision);
    const Model& known = modelIn(request.model);
    const PromptsOutline prompts = known.outlinePrompts(promptsOf(request));
    EncodeOutline outline{conditioningOutput(prompts.positive),
                          conditioningOutput(prompts.negative)};
    outline.components = networksOf(request.model, "encode", roles);
    outline.precisions = precisions;
    outline.issues = promptWarnings(known, request, prompts);
    outline.walk = [request](const memory::StagePlace& place) {
        return withErrorsOf("encode",
                            [&] { return walkEncode(modelIn(request.model), request, place); });
    };
    return outline;
}

StageOutline conditioningOutline(const std::vector<ConditioningShape>& inputs,
                                 const ConditioningEdit& edit) {
    std::vector<ConditioningOutline> known;
    for (const ConditioningShape& input : inputs) {
        known.push_back(outlineOf(input, known.empty() ? "first" : "second"));
    }
    StageOutline outline = conditioningOutput(editedOutline(known, edit));
    outline.walk = [inputs, edit](const memory::StagePlace& place) {
        return withErrorsOf("conditioning", [&] { return walkConditioning(inputs, edit, place); });
    };
    return outline;
}

StageOutline denoiseOutline(const DenoiseShapes& shapes, const DenoiseRequest& asked) {
    DenoiseRequest settings = asked;
    memory::ComponentPrecision precision =
        usePrecision(settings.model, kDenoiser, settings.precision);
    const Model& known = modelIn(settings.model);
    const auto sampler = makeSampler(known, settings);
    const memory::Judgement judgement = judgeDenoise(known, settings, *sampler, precision);
    precision.reuse = judgement.reuse;
    Issues issues = warningsOf(judgement);
    for (const Issues& more : {scheduleWarnings(known, settings, *sampler),
                               handoverWarnings(settings, shapes.latentKind)}) {
        issues.insert(issues.end(), more.begin(), more.end());
    }
    const EmptyOutline* empty = emptyIn(shapes.latentKind);
    const Shape shape =
        empty ? latentShapeFor(known, empty->size, empty->batch, "latent") : shapes.latent;
    checkLatents(known, shape);
    checkInpainting(known,
                    settings,
                    {.latent = shape,
                     .isEmpty = empty != nullptr,
                     .mask = shapes.mask,
                     .masked = shapes.masked});
    if (keepsLatent(settings)) {
        StageOutline outline = outputOf("LATENT", shape);
        outline.outputValue = shapes.latentKind;
        if (isDistribution(shapes.latentKind)) {
            outline.tensors.push_back(outline.tensors.front());
        }
        outline.walk = [shapes, settings](const memory::StagePlace& place) {
            return withErrorsOf("denoise", [&] {
                return walkDenoise(modelIn(settings.model), shapes, settings, place);
            });
        };
        return outline;
    }
    const bool hasCarry = sampling::givesCarry(partOf(known, settings));
    const int history = hasCarry ? sampler->historyLength() : 0;
    const int64_t generators = settings.batchSeeds == "each" ? shape.at(0) : 1;
    return StageOutline{
        .components = networkOf(settings.model, "denoise", kDenoiser),
        .outputType = "LATENT",
        .outputShape = shape,
        .tensors = std::vector<Bytes>(static_cast<size_t>(1 + history), bytesOf(shape)),
        .hostBytes = hasCarry ? generators * tensor::NoiseGenerator::stateBytes() : 0,
        .precisions = {precision},
        .issues = std::move(issues),
        .walk = [shapes, settings, switches = precision.switches](const memory::StagePlace& place) {
            return withErrorsOf("denoise", [&] {
                const tensor::NumericsScope scope(switches);
                return walkDenoise(modelIn(settings.model), shapes, settings, place);
            });
        }};
}

StageOutline latentUpscaleOutline(const Shape& latentShape, const LatentUpscaleRequest& settings) {
    const Shape shape = upscaledShape(latentShape, settings);
    return StageOutline{.components = {},
                        .outputType = "LATENT",
                        .outputShape = shape,
                        .tensors = {bytesOf(shape)},
                        .walk = [latentShape, settings](const memory::StagePlace& place) {
                            return withErrorsOf("upscale", [&] {
                                return walkUpscale(latentShape, settings, place);
                            });
                        }};
}

StageOutline decodeOutline(const Shape& latentShape, const DecodeRequest& asked) {
    DecodeRequest settings = asked;
    const memory::ComponentPrecision precision =
        usePrecision(settings.model, kAutoencoder, settings.precision);
    const Model& known = modelIn(settings.model);
    const Shape shape = decodedShape(known, latentShape);
    return StageOutline{
        .components = networkOf(settings.model, "decode", kAutoencoder),
        .outputType = "IMAGE",
        .outputShape = shape,
        .tensors = {bytesOf(shape)},
        .precisions = {precision},
        .walk = [=](const memory::StagePlace& place) {
            return withErrorsOf("decode", [&] {
                const tensor::NumericsScope scope(precision.switches);
                return walkDecode(modelIn(settings.model), latentShape, settings.tilePixels, place);
            });
        }};
}

StageOutline upscaleOutline(const Shape& imageShape, const UpscaleRequest& settings) {
    const Shape shape = upscaledShape(imageShape, settings);
    return StageOutline{.components = {},
                        .outputType = "IMAGE",
                        .outputShape = shape,
                        .tensors = {bytesOf(shape)},
                        .walk = [imageShape, settings](const memory::StagePlace& place) {
                            return withErrorsOf("upscale", [&] {
                                return walkUpscale(imageShape, settings, place);
                            });
                        }};
}

StageOutline upscaleWithModelOutline(const Shape& imageShape,
                                     const UpscaleWithModelRequest& asked) {
    UpscaleWithModelRequest settings = asked;
    const memory::ComponentPrecision precision =
        usePrecision(settings.upscaler, kUpscaler, settings.precision);
    const auto tree = upscalerIn(settings.upscaler).tree();
    const Shape shape = upscaledShape(imageShape, settings);
    return StageOutline{.components = [tree] { return std::vector{tree}; },
                        .outputType = "IMAGE",
                        .outputShape = shape,
                        .tensors = {bytesOf(shape)},
                        .precisions = {precision},
                        .walk =
                            [=](const memory::StagePlace& place) {
                                return withErrorsOf("upscale", [&] {
                                    const tensor::NumericsScope scope(precision.switches);
                                    return walkUpscale(imageShape, settings, place);
                                });
                            }};
}

}  // namespace lowtide::models
