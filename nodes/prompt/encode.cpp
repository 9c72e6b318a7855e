#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostClipSkip = 24;
constexpr double kLargestSide = 16384;

/// A length in pixels that a model was taught to read beside the text.
ParamDesc pixelsParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = 0,
            .max = kLargestSide,
            .softMin = 0,
            .softMax = 4096,
            .step = 8,
            .advanced = true};
}

ParamDesc scoreParam(std::string id, std::string label, std::string tooltip, double byDefault) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Float,
            .defaultValue = byDefault,
            .min = 0,
            .max = 100,
            .softMin = 0,
            .softMax = 10,
            .step = 0.5,
            .advanced = true};
}

/// What some families read beside the texts. Source: diffusers' StableDiffusionXLPipeline and
/// StableDiffusionXLImg2ImgPipeline, whose defaults these are.
const std::vector<ParamDesc>& numberParams() {
    static const std::vector<ParamDesc> params = {
        pixelsParam("original_width",
                    "Original width",
                    "Width before cropping and scaling, as the model is told it; a small one gives "
                    "blurred pictures. 0 is the latent's."),
        pixelsParam("original_height",
                    "Original height",
                    "Height before cropping and scaling, as the model is told it. 0 is the "
                    "latent's."),
        pixelsParam("crop_left",
                    "Crop left",
                    "Pixels cut off at the left, as the model is told; 0 centres the subject."),
        pixelsParam("crop_top",
                    "Crop top",
                    "Pixels cut off at the top, as the model is told; 0 centres the subject."),
        pixelsParam("target_width",
                    "Target width",
                    "Width of the picture, as the model is told it. 0 is the latent's."),
        pixelsParam("target_height",
                    "Target height",
                    "Height of the picture, as the model is told it. 0 is the latent's."),
        scoreParam("aesthetic_score",
                   "Aesthetic score",
                   "Rating of the picture, as refiners are told it; higher is prettier.",
                   6),
        scoreParam("negative_aesthetic_score",
                   "Negative aesthetic score",
                   "The rating that refiners are told beside the negative prompt.",
                   2.5)};
    return params;
}

ParamDesc secondText(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = true,
            .advanced = true};
}

std::vector<ParamDesc> withOthers(std::vector<ParamDesc> params) {
    params.push_back(secondText("prompt_2",
                                "Second prompt",
                                "What a second text encoder reads in place of the prompt; left "
                                "empty, both read the same."));
    params.push_back(secondText("negative_2",
                                "Second negative prompt",
                                "What a second text encoder reads in place of the negative "
                                "prompt; left empty, both read the same."));
    params.insert(params.end(), numberParams().begin(), numberParams().end());
    return params;
}

/// Those that are not as they are by default.
models::NamedNumbers numbersIn(const executor::Params& params) {
    models::NamedNumbers numbers;
    for (const ParamDesc& param : numberParams()) {
        if (params.value(param.id) != param.defaultValue) {
            numbers[param.id] = param.kind == ParamKind::Int
                                    ? static_cast<double>(params.integer(param.id))
                                    : params.number(param.id);
        }
    }
    return numbers;
}

NodeDesc describeEncodePrompt() {
    return {
        .id = "prompt.encode",
        .label = "Encode prompt",
        .category = "Prompt",
        .tooltip = "Turns the prompt and the negative prompt into what the denoiser reads.",
        .version = 2,
        .aliases = {"CLIPTextEncode"},
        .components = {"text_encoder*"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its text encoders are used.",
                    .type = "MODEL"}},
        .outputs = {{.id = "positive",
                     .label = "Positive",
                     .tooltip = "The encoded prompt.",
                     .type = "CONDITIONING"},
                    {.id = "negative",
                     .label = "Negative",
                     .tooltip = "The encoded negative prompt.",
                     .type = "CONDITIONING"}},
        .params = withOthers(
            {{.id = "prompt",
              .label = "Prompt",
              .tooltip = "What the picture should show.",
              .kind = ParamKind::Text,
              .defaultValue = std::string(),
              .multiline = true},
             {.id = "negative",
              .label = "Negative prompt",
              .tooltip = "What the picture should not show; left empty, it is encoded as an empty "
                         "text, or "
                         "zeros where the checkpoint asks for them.",
              .kind = ParamKind::Text,
              .defaultValue = std::string(),
              .multiline = true},
             {.id = "clip_skip",
              .label = "Clip skip",
              .tooltip =
                  "Layers of the text encoder to leave out at the end: 1 is what other programs "
                  "call clip skip 2, -1 leaves the choice to the checkpoint. With the weights "
                  "none the negative prompt ignores it.",
              .unit = "layers",
              .kind = ParamKind::Int,
              .defaultValue = int64_t{-1},
              .min = -1,
              .max = kMostClipSkip,
              .softMin = -1,
              .softMax = 3,
              .step = 1,
              .advanced = true},
             {.id = "weights",
              .label = "Weights",
              .tooltip = "How the texts say what counts more. With none brackets are text, and a "
                         "long text is cut; the others read texts of any length.",
              .kind = ParamKind::Choice,
              .defaultValue = std::string("a1111"),
              .choices = {{"a1111", "A1111: (word:1.3) [word] BREAK"},
                          {"compel", "Compel: word++ (words)1.3"},
                          {"none", "None"}}}}),
    };
}

models::EncodeRequest encodePromptRequest(models::Stages& stages,
                                          const executor::Params& params,
                                          const WireAt& wire,
                                          std::string_view graphFolder) {
    return {.model = wire("model"),
            .prompt = params.text("prompt"),
            .negative = params.text("negative"),
            .prompt2 = params.text("prompt_2"),
            .negative2 = params.text("negative_2"),
            .clipSkip = static_cast<int>(params.integer("clip_skip")),
            .weights = params.text("weights"),
            .numbers = numbersIn(params),
            .embeddings = stages.embeddings(wire("model"), graphFolder),
            .precision = params.precision()};
}

}  // namespace

std::vector<executor::NodeType> prompt(models::Stages& stages) {
    const auto requestOf = [&stages](const auto& context, const WireAt& wire) {
        return encodePromptRequest(stages, context, wire, context.graphFolder());
    };
    return {stageNode<models::EncodeRequest>(
        stages, describeEncodePrompt(), requestOf, "prompt encode")};
}

}  // namespace lowtide::nodes
