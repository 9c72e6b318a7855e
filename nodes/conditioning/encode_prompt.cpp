#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/text/prompt_syntax.hpp"

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

struct EncodeAsked {
    WireRef model;
    std::string prompt;
    std::string negative;
    /// Layers left out at the end; -1: as the family does it. Of the negative too, but with none.
    int clipSkip = -1;
    std::string weights = "a1111";  ///< as models::promptWeightsNamed has it
    bool encodesEmpty = false;      ///< as PromptRequest has it
    bool hasTags = false;  ///< its tags ("<lora:name:1>") are no words; `model` has their deltas
    models::EncoderPrompts others{};
    int64_t length = 0;              ///< tokens of each text; 0: as the family does it
    tensor::NamedNumbers numbers{};  ///< those that are set, by the names of their parameters
    std::shared_ptr<const models::EmbeddingLibrary> embeddings{};  ///< null: the texts name none
    memory::PrecisionChoice precision{};
};

constexpr double kMostClipSkip = 24;
constexpr double kLargestSide = 16384;
constexpr double kMostTokens = 512;
constexpr const char* kModel = "model";
constexpr const char* kLoras = "loras";

void warnOfCut(Issues& issues,
               const models::ConditioningStatement& stated,
               int64_t tokens,
               const std::string& item) {
    if (tokens > 0) {
        issues.push_back(
            {.severity = Severity::Warning,
             .code = "prompt_cut",
             .item = item,
             .message = message("{} tokens at the end of the text are left out: it is longer than "
                                "the text encoder reads at once",
                                tokens),
             .hint = stated.weights == models::WeightsRead::All
                         ? message("choose the weights a1111, which read a text of "
                                   "any length, or shorten it")
                     : stated.takesLength ? message("shorten it, or choose a larger text length")
                                          : message("shorten it")});
    }
}

void warnOfMissing(Issues& issues,
                   const std::string& name,
                   const models::EmbeddingLibrary& library,
                   const std::string& item) {
    const std::vector<std::string>& names = library.names();
    const std::string near = nearestName(name, names);
    issues.push_back(
        {.severity = Severity::Warning,
         .code = "embedding_missing",
         .item = item,
         .message =
             message("there is no embedding {}, which is left out of the text", quotedName(name)),
         .hint =
             !near.empty()               ? message("did you mean {}?", quotedName(near))
             : library.folders().empty() ? message("put its file into a folder \"embeddings\" "
                                                   "next to the checkpoints or the graph")
             : names.empty()
                 ? message("the folders have none: {}", join(library.folders(), ", "))
                 : message(
                       "the folders have {}: {}", listSome(names), join(library.folders(), ", "))});
}

void warnOfSyntax(Issues& issues,
                  const models::Model& model,
                  const std::string& text,
                  const std::string& weights,
                  const std::string& item) {
    std::vector<Message> written;
    std::vector<Message> hints;
    const models::WeightsRead read = model.info().conditioning.weights;
    for (const models::UnreadSyntax& found :
         models::unreadSyntax(text, models::promptWeightsNamed(weights), read)) {
        written.push_back(message("{} (elsewhere {})", quotedName(found.written), found.meaning));
        if (hints.empty() || hints.back() != found.hint) {
            hints.emplace_back(found.hint);
        }
    }
    if (!written.empty()) {
        issues.push_back(
            {.severity = Severity::Warning,
             .code = "prompt_syntax",
             .item = item,
             .message = read != models::WeightsRead::None
                            ? message("with the weights {} this is read as words: {}",
                                      weights,
                                      joined(written, ", "))
                            : message("{} has no weights of words: this is read as words: {}",
                                      model.info().checkpoint,
                                      joined(written, ", ")),
             .hint = joined(hints, "; ")});
    }
}

/// Of what is set and the checkpoint has no use for.
void warnOfUnused(Issues& issues, const models::Model& model, const EncodeAsked& asked) {
    std::vector<std::string> set;
    for (size_t i = 0; i < asked.others.size(); ++i) {
        if (!asked.others[i].prompt.empty()) {
            set.push_back(models::promptNameOf(i));
        }
        if (!asked.others[i].negative.empty()) {
            set.push_back(models::negativeNameOf(i));
        }
    }
    if (asked.length != 0) {
        set.emplace_back("length");
    }
    for (const auto& [name, number] : asked.numbers) {
        set.push_back(name);
    }
    for (const std::string& name : set) {
        if (!model.info().conditioning.takes(name)) {
            issues.push_back(
                {.severity = Severity::Warning,
                 .code = "prompt_unused",
                 .item = name,
                 .message = message(
                     "{} has no use for {}, which is left out", model.info().checkpoint, name),
                 .hint =
                     message("set it back to its default, or choose a checkpoint that reads it")});
        }
    }
}

/// Of models that leave a layer out by themselves, which other programs count.
void warnOfClipSkip(Issues& issues, const models::Model& model, int clipSkip) {
    const int own = model.info().ownClipSkip;
    if (own == 0 || clipSkip <= 0) {
        return;
    }
    issues.push_back({.severity = Severity::Warning,
                      .code = "clip_skip",
                      .item = "clip_skip",
                      .message = message("clip skip {} with {} is what other programs call clip "
                                         "skip {}: the model leaves out a layer by itself",
                                         clipSkip,
                                         model.info().checkpoint,
                                         clipSkip + own + 1),
                      .hint = message("set it to -1 for clip skip 2 of other programs")});
}

models::PromptRequest promptsOf(const EncodeAsked& asked) {
    return {.prompt = asked.prompt,
            .negative = asked.negative,
            .others = asked.others,
            .length = asked.length,
            .clipSkip = asked.clipSkip,
            .weights = asked.weights,
            .numbers = asked.numbers,
            .embeddings = asked.embeddings,
            .hasTags = asked.hasTags,
            .encodesEmpty = asked.encodesEmpty};
}

Issues promptWarnings(const models::Model& model,
                      const EncodeAsked& asked,
                      const models::PromptsSpec& prompts) {
    Issues issues;
    warnOfUnused(issues, model, asked);
    warnOfClipSkip(issues, model, asked.clipSkip);
    for (const auto& [item, tokens] : prompts.cutTokens) {
        warnOfCut(issues, model.info().conditioning, tokens, item);
    }
    for (const auto& [item, name] : prompts.embeddings.missing) {
        warnOfMissing(issues, name, *asked.embeddings, item);
    }
    warnOfSyntax(issues, model, promptsOf(asked).spokenPrompt(), asked.weights, "prompt");
    warnOfSyntax(issues, model, asked.negative, asked.weights, "negative");
    for (size_t i = 0; i < asked.others.size(); ++i) {
        warnOfSyntax(issues, model, asked.others[i].prompt, asked.weights, models::promptNameOf(i));
        warnOfSyntax(
            issues, model, asked.others[i].negative, asked.weights, models::negativeNameOf(i));
    }
    return issues;
}

/// Where in a prompt with tags its text is, of which `spoken` bytes are read.
int64_t positionInPrompt(std::string_view prompt, int64_t spoken) {
    size_t at = 0;
    auto left = static_cast<size_t>(spoken);
    for (const models::LoraTag& tag : models::readTags(prompt).tags) {
        const size_t begin = prompt.find(tag.written, at);
        if (left <= begin - at) {
            break;
        }
        left -= begin - at;
        at = begin + tag.written.size();
    }
    return static_cast<int64_t>(at + left);
}

std::shared_ptr<const Json> factsOf(const models::Model& model,
                                    const EncodeAsked& asked,
                                    const models::PromptsSpec& prompts) {
    Json texts = Json::array();
    for (models::TextCount count : prompts.counts) {
        if (asked.hasTags && count.parameter == "prompt" && count.readBytes >= 0) {
            count.readBytes = positionInPrompt(asked.prompt, count.readBytes);
        }
        texts.push_back(toJson(count));
    }
    const models::WeightsRead read = model.info().conditioning.weights;
    const bool readsWeights =
        read == models::WeightsRead::All ||
        (read == models::WeightsRead::ComfyUi &&
         models::promptWeightsNamed(asked.weights) == models::PromptWeights::ComfyUi);
    return std::make_shared<const Json>(
        Json{{"texts", std::move(texts)}, {"reads_weights", readsWeights}});
}

StageShapes encodeShapes(const EncodeAsked& asked, StageFacts&) {
    const models::Model& model = modelIn(asked.model);
    const models::PromptsSpec prompts = model.promptsSpec(promptsOf(asked));
    return {.outputs = {outputOf(prompts.positive),
                        outputOf(prompts.negative),
                        {.type = "MODEL", .value = meantBy(asked.model)}},
            .issues = promptWarnings(model, asked, prompts),
            .fingerprints = prompts.embeddings.digests(),
            .facts = factsOf(model, asked, prompts)};
}

std::vector<WireRef> encodeStage(models::StageContext& context,
                                 const EncodeAsked& asked,
                                 const StageCall& call) {
    models::PromptRequest prompted = promptsOf(asked);
    prompted.begins = [&](std::string_view role, size_t done, size_t total) {
        call.progress(role, static_cast<double>(done), static_cast<double>(total));
    };
    models::EncodedPrompts prompts = modelIn(asked.model).encodePrompts(context, prompted);
    return {std::move(prompts.positive), std::move(prompts.negative), asked.model};
}

/// A length in pixels that a model was taught to read in addition to the text.
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

using EncodeField = Field<EncodeAsked>;

/// What a text encoder behind the first reads of its own.
EncodeField ownTextField(std::string models::OwnPrompts::*text,
                         size_t encoder,
                         std::string id,
                         std::string label,
                         std::string tooltip) {
    return {.param = ParamDesc{.id = id,
                               .label = std::move(label),
                               .tooltip = std::move(tooltip),
                               .kind = ParamKind::Text,
                               .defaultValue = std::string(),
                               .multiline = true,
                               .advanced = true},
            .read = [text, encoder, id](EncodeAsked& asked, const executor::Params& params) {
                asked.others[encoder].*text = params.text(id);
            }};
}

void addOtherTexts(std::vector<EncodeField>& fields) {
    static constexpr std::pair<const char*, const char*> kOrdinals[] = {
        {"Second", "second"}, {"Third", "third"}, {"Fourth", "fourth"}};
    static_assert(std::size(kOrdinals) + 1 == models::kMostTextEncoders);
    for (size_t i = 0; i < std::size(kOrdinals); ++i) {
        const std::string label = kOrdinals[i].first;
        const std::string reader =
            std::string("What a ") + kOrdinals[i].second + " text encoder reads in place of the ";
        fields.push_back(
            ownTextField(&models::OwnPrompts::prompt,
                         i,
                         models::promptNameOf(i),
                         label + " prompt",
                         reader + "prompt; left empty, it reads the same as the first."));
        fields.push_back(
            ownTextField(&models::OwnPrompts::negative,
                         i,
                         models::negativeNameOf(i),
                         label + " negative prompt",
                         reader + "negative prompt; left empty, it reads the same as the first."));
    }
}

/// One that is as it is by default is not set.
EncodeField numberField(const ParamDesc& desc) {
    return {.param = desc, .read = [desc](EncodeAsked& asked, const executor::Params& params) {
                if (params.value(desc.id) != desc.defaultValue) {
                    asked.numbers[desc.id] = desc.kind == ParamKind::Int
                                                 ? static_cast<double>(params.integer(desc.id))
                                                 : params.number(desc.id);
                }
            }};
}

/// What some families read in addition to the texts. Source: the pipelines of diffusers that read
/// them, whose defaults these are.
std::vector<ParamDesc> numberParams() {
    return {
        pixelsParam(
            "original_width",
            "Original width",
            "Width before cropping and scaling, as the model is given it; a small one gives "
            "blurred images. 0 is the latent's."),
        pixelsParam("original_height",
                    "Original height",
                    "Height before cropping and scaling, as the model is given it. 0 is the "
                    "latent's."),
        pixelsParam(
            "crop_left",
            "Crop left",
            "Pixels cut off at the left, as the model is given them; 0 centres the subject."),
        pixelsParam(
            "crop_top",
            "Crop top",
            "Pixels cut off at the top, as the model is given them; 0 centres the subject."),
        pixelsParam("target_width",
                    "Target width",
                    "Width of the image, as the model is given it. 0 is the latent's."),
        pixelsParam("target_height",
                    "Target height",
                    "Height of the image, as the model is given it. 0 is the latent's."),
        scoreParam("aesthetic_score",
                   "Aesthetic score",
                   "Rating of the image, as refiners are given it; higher is prettier.",
                   6),
        scoreParam("negative_aesthetic_score",
                   "Negative aesthetic score",
                   "The rating that refiners are given with the negative prompt.",
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
}

std::vector<EncodeField> encodeFields() {
    std::vector<EncodeField> fields = {
        input(&EncodeAsked::model, {kModel, "Model", "Its text encoders are used.", "MODEL"}),
        param(&EncodeAsked::prompt,
              {.id = "prompt",
               .label = "Prompt",
               .tooltip = "What the image should show.",
               .kind = ParamKind::Text,
               .multiline = true}),
        param(&EncodeAsked::negative,
              {.id = "negative",
               .label = "Negative prompt",
               .tooltip = "What the image should not show; left empty, it is encoded as an empty "
                          "text, or zeros where the checkpoint asks for them.",
               .kind = ParamKind::Text,
               .multiline = true}),
        param(&EncodeAsked::encodesEmpty,
              {.id = "encode_empty",
               .label = "Encode empty negative",
               .tooltip = "An empty negative prompt is encoded as a text, as ComfyUI "
                          "does it; off, it is zeros there, as in diffusers.",
               .advanced = true}),
        param(&EncodeAsked::clipSkip,
              {.id = "clip_skip",
               .label = "Clip skip",
               .tooltip = "Layers of the text encoder to leave out at the end. Clip skip 2 of "
                          "other programs is 1, or -1 for models that leave one out by themselves. "
                          "With the weights none the negative prompt ignores it.",
               .unit = "layers",
               .min = -1,
               .max = kMostClipSkip,
               .softMin = -1,
               .softMax = 3,
               .step = 1,
               .advanced = true}),
        param(&EncodeAsked::weights,
              {.id = "weights",
               .label = "Weights",
               .tooltip = "How the texts mark what counts more. With none brackets are text, and a "
                          "long text is cut; the others read texts of any length.",
               .kind = ParamKind::Choice,
               .choices = {{"a1111", "A1111: (word:1.3) [word] BREAK"},
                           {"comfyui", "ComfyUI: (word:1.3)"},
                           {"compel", "Compel: word++ (words)1.3"},
                           {"none", "None"}}}),
        param(&EncodeAsked::hasTags,
              {.id = kLoras,
               .label = "LoRAs of the prompt",
               .tooltip = "Reads <lora:name:0.8> in the prompt: loads the LoRA, and leaves the tag "
                          "out of the text. Connect the output Model to Denoise.",
               .advanced = true})};
    addOtherTexts(fields);
    fields.push_back(param(
        &EncodeAsked::length,
        {.id = "length",
         .label = "Text length",
         .tooltip = "Tokens of each text, for models that read texts of any length: longer "
                    "ones are cut, shorter ones are filled up. 0 is the model's usual length.",
         .unit = "tokens",
         .min = 0,
         .max = kMostTokens,
         .softMin = 0,
         .softMax = kMostTokens,
         .step = 16,
         .advanced = true}));
    for (const ParamDesc& desc : numberParams()) {
        fields.push_back(numberField(desc));
    }
    return fields;
}

NodeDesc describeEncodePrompt() {
    return {.id = "prompt.encode",
            .label = "Encode prompt",
            .category = "Prompt",
            .tooltip = "Turns the prompt and the negative prompt into what the denoiser reads.",
            .version = 2,
            .components = {"text_encoder*"},
            .outputs = {{.id = "positive",
                         .label = "Positive",
                         .tooltip = "The encoded prompt.",
                         .type = "CONDITIONING"},
                        {.id = "negative",
                         .label = "Negative",
                         .tooltip = "The encoded negative prompt.",
                         .type = "CONDITIONING"},
                        {.id = kModel,
                         .label = "Model",
                         .tooltip = "The model with the LoRAs of the prompt, for Denoise; without "
                                    "any, the one that came in.",
                         .type = "MODEL"}}};
}

/// Opens what the texts name, embeddings and LoRAs: the model that encodes and denoises is the one
/// with these.
Issues openNamed(Stages& stages, EncodeAsked& asked, std::string_view graphFolder) {
    Issues warnings;
    if (asked.hasTags) {
        LoadedModel loaded = stages.loadTagged(asked.model, asked.prompt, graphFolder);
        asked.model = std::move(loaded.model);
        warnings = std::move(loaded.warnings);
    }
    asked.embeddings = stages.embeddings(asked.model, graphFolder);
    return warnings;
}

using EncodeDef = std::shared_ptr<const NodeDef<EncodeAsked>>;

executor::NodeSpec specOfEncodePrompt(Stages& stages,
                                      const EncodeDef& def,
                                      const executor::SpecContext& context) {
    EncodeAsked asked = askedOf(def->fields, context, knownAt(context));
    const WireRef given = asked.model;
    Issues warnings = openNamed(stages, asked, context.graphFolder());
    executor::NodeSpec work =
        stages.spec(std::make_shared<const StageOf<EncodeAsked>>(def, asked), def->desc.outputs);
    const bool isChanged = asked.model != given;
    if (isChanged) {
        work.fingerprints.push_back(stages.fingerprint(asked.model));
    }
    if (isChanged && !context.isRead(kModel)) {
        warnings.push_back({.severity = Severity::Warning,
                            .code = "lora_unread",
                            .item = kLoras,
                            .message = message("the LoRAs of the prompt change its text encoders "
                                               "alone: nothing reads the output Model"),
                            .hint = message("connect the output Model to Denoise")});
    }
    work.issues.insert(work.issues.end(), warnings.begin(), warnings.end());
    return work;
}

void runEncodePrompt(Stages& stages, const EncodeDef& def, executor::Context& context) {
    EncodeAsked asked = askedOf(def->fields, context, valuesAt(context));
    (void)openNamed(stages, asked, context.graphFolder());
    const StageOf<EncodeAsked> stage(def, std::move(asked));
    giveOutputs(context, def->desc.outputs, stages.run(stage, stageCall(context)));
}

}  // namespace

executor::NodeType encodePromptNode(Stages& stages) {
    NodeDef<EncodeAsked> described{.desc = describeEncodePrompt(),
                                   .fields = encodeFields(),
                                   .stage = {.name = "encode",
                                             .source = modelOf<EncodeAsked>,
                                             .roles = {models::kTextEncoders},
                                             .shape = encodeShapes,
                                             .run = encodeStage}};
    describeFields(described.desc, described.fields);
    const auto def = std::make_shared<const NodeDef<EncodeAsked>>(std::move(described));
    return {.desc = def->desc,
            .spec =
                [&stages, def](const executor::SpecContext& context) {
                    return specOfEncodePrompt(stages, def, context);
                },
            .run = [&stages,
                    def](executor::Context& context) { runEncodePrompt(stages, def, context); },
            .collectAfter = "prompt encode"};
}

}  // namespace lowtide::nodes
