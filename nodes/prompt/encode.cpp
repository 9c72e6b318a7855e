#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostClipSkip = 24;

NodeDesc describeEncodePrompt() {
    return {
        .id = "prompt.encode",
        .label = "Encode prompt",
        .category = "Prompt",
        .tooltip = "Turns the prompt and the negative prompt into what the denoiser reads.",
        .version = 2,
        .aliases = {"CLIPTextEncode"},
        .components = {"text_encoder"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its text encoder is used.",
                    .type = "MODEL"}},
        .outputs = {{.id = "positive",
                     .label = "Positive",
                     .tooltip = "The encoded prompt.",
                     .type = "CONDITIONING"},
                    {.id = "negative",
                     .label = "Negative",
                     .tooltip = "The encoded negative prompt.",
                     .type = "CONDITIONING"}},
        .params =
            {{.id = "prompt",
              .label = "Prompt",
              .tooltip = "What the picture should show.",
              .kind = ParamKind::Text,
              .defaultValue = std::string(),
              .multiline = true},
             {.id = "negative",
              .label = "Negative prompt",
              .tooltip =
                  "What the picture should not show; left empty, it is encoded as an empty text.",
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
                          {"none", "None"}}}},
    };
}

models::EncodeRequest encodePromptSettings(const executor::Params& params) {
    return {.prompt = params.text("prompt"),
            .negative = params.text("negative"),
            .clipSkip = static_cast<int>(params.integer("clip_skip")),
            .weights = params.text("weights"),
            .precision = params.precision()};
}

executor::WorkOutline outlineEncodePrompt(models::Stages& stages,
                                          const executor::OutlineContext& context) {
    models::EncodeRequest request = encodePromptSettings(context);
    request.model = modelOf(context);
    models::EncodeOutline stage = stages.outlineEncode(request);
    return {
        .components = std::move(stage.components),
        .outputs = {{"positive", valueOutline(stage)}, {"negative", valueOutline(stage.negative)}},
        .walk = std::move(stage.walk),
        .precisions = std::move(stage.precisions),
        .issues = std::move(stage.issues)};
}

void runEncodePrompt(models::Stages& stages, executor::Context& context) {
    models::EncodeRequest request = encodePromptSettings(context);
    request.model = context.input("model");
    models::EncodeResult result = stages.encodePrompt(request, stageCall(context));
    context.output("positive", std::move(result.positive));
    context.output("negative", std::move(result.negative));
}

}  // namespace

std::vector<executor::NodeType> prompt(models::Stages& stages) {
    return {stageNode(
        stages, describeEncodePrompt(), outlineEncodePrompt, runEncodePrompt, "prompt encode")};
}

}  // namespace lowtide::nodes
