#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostClipSkip = 24;
constexpr double kLargestSide = 16384;
constexpr double kMostTokens = 512;
constexpr const char* kModel = "model";
constexpr const char* kLoras = "loras";
constexpr const char* kLength = "length";

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

/// What some families read beside the texts. Source: the pipelines of diffusers that read them,
/// whose defaults these are.
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
                   2.5),
        {.id = "guidance",
         .label = "Guidance",
         .tooltip = "How closely models follow the prompt that were taught guidance as a number. "
                    "Guidance by a negative prompt is a parameter of Denoise.",
         .kind = ParamKind::Float,
         .defaultValue = 3.5,
         .min = 0,
         .max = 100,
         .softMin = 1,
         .softMax = 10,
         .step = 0.1,
         .advanced = true}};
    return params;
}

ParamDesc ownText(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = true,
            .advanced = true};
}

/// Of text encoders behind the first, and what some families read beside the texts.
std::vector<ParamDesc> withOthers(std::vector<ParamDesc> params) {
    static constexpr std::pair<const char*, const char*> kOrdinals[] = {
        {"Second", "second"}, {"Third", "third"}, {"Fourth", "fourth"}};
    static_assert(std::size(kOrdinals) + 1 == models::kMostTextEncoders);
    for (size_t i = 0; i < std::size(kOrdinals); ++i) {
        const std::string label = kOrdinals[i].first;
        const std::string reader =
            std::string("What a ") + kOrdinals[i].second + " text encoder reads in place of the ";
        params.push_back(ownText(models::promptNameOf(i),
                                 label + " prompt",
                                 reader + "prompt; left empty, it reads the same as the first."));
        params.push_back(
            ownText(models::negativeNameOf(i),
                    label + " negative prompt",
                    reader + "negative prompt; left empty, it reads the same as the first."));
    }
    params.push_back(
        {.id = kLength,
         .label = "Text length",
         .tooltip = "Tokens of each text, for models that read texts of any length: longer ones "
                    "are cut, shorter ones are filled up. 0 is the model's usual length.",
         .unit = "tokens",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{0},
         .min = 0,
         .max = kMostTokens,
         .softMin = 0,
         .softMax = kMostTokens,
         .step = 16,
         .advanced = true});
    params.insert(params.end(), numberParams().begin(), numberParams().end());
    return params;
}

models::EncoderPrompts othersIn(const executor::Params& params) {
    models::EncoderPrompts others;
    for (size_t i = 0; i < others.size(); ++i) {
        others[i] = {.prompt = params.text(models::promptNameOf(i)),
                     .negative = params.text(models::negativeNameOf(i))};
    }
    return others;
}

/// Those that are not as they are by default.
NamedNumbers numbersIn(const executor::Params& params) {
    NamedNumbers numbers;
    for (const ParamDesc& param : numberParams()) {
        if (params.value(param.id) != param.defaultValue) {
            numbers[param.id] = param.kind == ParamKind::Int
                                    ? static_cast<double>(params.integer(param.id))
                                    : params.number(param.id);
        }
    }
    return numbers;
}

std::vector<PortDesc> promptOutputs() {
    return {{.id = "positive",
             .label = "Positive",
             .tooltip = "The encoded prompt.",
             .type = "CONDITIONING"},
            {.id = "negative",
             .label = "Negative",
             .tooltip = "The encoded negative prompt.",
             .type = "CONDITIONING"}};
}

std::vector<PortDesc> encodeOutputs() {
    std::vector<PortDesc> outputs = promptOutputs();
    outputs.push_back({.id = kModel,
                       .label = "Model",
                       .tooltip = "The model with the LoRAs of the prompt, for Denoise; without "
                                  "any, the one that came in.",
                       .type = "MODEL"});
    return outputs;
}

NodeDesc describeEncodePrompt() {
    return {
        .id = "prompt.encode",
        .label = "Encode prompt",
        .category = "Prompt",
        .tooltip = "Turns the prompt and the negative prompt into what the denoiser reads.",
        .version = 2,
        .components = {"text_encoder*"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its text encoders are used.",
                    .type = "MODEL"}},
        .outputs = encodeOutputs(),
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
              .tooltip = "Layers of the text encoder to leave out at the end. Clip skip 2 of other "
                         "programs is 1, or -1 for models that leave one out by themselves. With "
                         "the weights none the negative prompt ignores it.",
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
                          {"none", "None"}}},
             {.id = kLoras,
              .label = "LoRAs of the prompt",
              .tooltip = "Reads <lora:name:0.8> in the prompt: loads the LoRA, and leaves the tag "
                         "out of the text. Connect the output Model to Denoise.",
              .kind = ParamKind::Bool,
              .defaultValue = false,
              .advanced = true}}),
    };
}

EncodeRequest encodePromptRequest(Stages& stages,
                                  const executor::Params& params,
                                  const memory::WireRef& model,
                                  std::string_view graphFolder) {
    return {.model = model,
            .prompt = params.text("prompt"),
            .hasTags = params.flag(kLoras),
            .negative = params.text("negative"),
            .others = othersIn(params),
            .length = params.integer(kLength),
            .clipSkip = static_cast<int>(params.integer("clip_skip")),
            .weights = params.text("weights"),
            .numbers = numbersIn(params),
            .embeddings = stages.embeddings(model, graphFolder),
            .precision = params.precision()};
}

/// The model that encodes and denoises: with the changes that the prompt asks for, where it may.
LoadedModel promptedModel(Stages& stages,
                          const executor::Params& params,
                          const memory::WireRef& model,
                          std::string_view graphFolder) {
    return params.flag(kLoras) ? stages.loadTagged(model, params.text("prompt"), graphFolder)
                               : LoadedModel{.model = model, .warnings = {}};
}

executor::WorkOutline outlineEncodePrompt(Stages& stages, const executor::OutlineContext& context) {
    const executor::ValueOutline* wired = context.input(kModel);
    const memory::WireRef given = wired ? wired->value : nullptr;
    LoadedModel loaded = promptedModel(stages, context, given, context.graphFolder());
    executor::WorkOutline work = workOutline(
        stages.outline(encodePromptRequest(stages, context, loaded.model, context.graphFolder())),
        promptOutputs());
    const bool isChanged = loaded.model != given;
    if (isChanged) {
        work.fingerprints.push_back(stages.fingerprint(loaded.model));
    }
    if (isChanged && !context.isRead(kModel)) {
        loaded.warnings.push_back({.severity = Severity::Warning,
                                   .code = "lora_unread",
                                   .item = kLoras,
                                   .message = "the LoRAs of the prompt change its text encoders "
                                              "alone: nothing reads the output Model",
                                   .hint = "connect the output Model to Denoise"});
    }
    work.issues.insert(work.issues.end(), loaded.warnings.begin(), loaded.warnings.end());
    work.outputs.emplace_back(
        kModel, executor::ValueOutline{.type = "MODEL", .value = std::move(loaded.model)});
    return work;
}

void runEncodePrompt(Stages& stages, executor::Context& context) {
    const memory::WireRef model =
        promptedModel(stages, context, context.input(kModel), context.graphFolder()).model;
    std::vector<memory::WireRef> values = stages.run(
        encodePromptRequest(stages, context, model, context.graphFolder()), stageCall(context));
    const std::vector<PortDesc> ports = promptOutputs();
    for (size_t i = 0; i < ports.size(); ++i) {
        context.output(ports[i].id, std::move(values.at(i)));
    }
    context.output(kModel, model);
}

}  // namespace

std::vector<executor::NodeType> prompt(Stages& stages) {
    return {stageNode(
        stages, describeEncodePrompt(), outlineEncodePrompt, runEncodePrompt, "prompt encode")};
}

}  // namespace lowtide::nodes
