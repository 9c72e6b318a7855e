#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/text/prompt_syntax.hpp"

namespace lowtide::nodes {

namespace {

void warnOfCut(Issues& issues,
               const models::ConditioningStatement& stated,
               int64_t tokens,
               const std::string& item) {
    if (tokens > 0) {
        issues.push_back(
            {.severity = Severity::Warning,
             .code = "prompt_cut",
             .item = item,
             .message = std::to_string(tokens) +
                        " tokens at the end of the text are left out: it is longer "
                        "than the text encoder reads at once",
             .hint = stated.readsWeights  ? "choose the weights a1111, which read a text of any "
                                            "length, or shorten it"
                     : stated.takesLength ? "shorten it, or choose a larger text length"
                                          : "shorten it"});
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
         .message = "there is no embedding " + quotedName(name) + ", which is left out of the text",
         .hint =
             !near.empty() ? "did you mean " + quotedName(near) + "?"
             : library.folders().empty()
                 ? "put its file into a folder \"embeddings\" beside the checkpoints or the graph"
                 : "the folders have " + (names.empty() ? "none" : listSome(names)) + ": " +
                       join(library.folders(), ", ")});
}

void warnOfSyntax(Issues& issues,
                  const models::Model& model,
                  const std::string& text,
                  const std::string& weights,
                  const std::string& item) {
    std::vector<std::string> written;
    std::vector<std::string> hints;
    const bool canWeigh = model.info().conditioning.readsWeights;
    for (const models::UnreadSyntax& found :
         models::unreadSyntax(text, models::promptWeightsNamed(weights), canWeigh)) {
        written.push_back(quotedName(found.written) + " (elsewhere " + found.meaning + ")");
        if (hints.empty() || hints.back() != found.hint) {
            hints.push_back(found.hint);
        }
    }
    if (!written.empty()) {
        issues.push_back(
            {.severity = Severity::Warning,
             .code = "prompt_syntax",
             .item = item,
             .message = (canWeigh ? "with the weights " + weights + " this is"
                                  : model.info().checkpoint + " has no weights of words: this is") +
                        " read as words: " + join(written, ", "),
             .hint = join(hints, "; ")});
    }
}

/// Of what is set and the checkpoint has no use for.
void warnOfUnused(Issues& issues, const models::Model& model, const EncodeRequest& request) {
    std::vector<std::string> set;
    for (size_t i = 0; i < request.others.size(); ++i) {
        if (!request.others[i].prompt.empty()) {
            set.push_back(models::promptNameOf(i));
        }
        if (!request.others[i].negative.empty()) {
            set.push_back(models::negativeNameOf(i));
        }
    }
    if (request.length != 0) {
        set.emplace_back("length");
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

/// Of models that leave a layer out by themselves, which other programs count.
void warnOfClipSkip(Issues& issues, const models::Model& model, int clipSkip) {
    const int own = model.info().ownClipSkip;
    if (own == 0 || clipSkip <= 0) {
        return;
    }
    issues.push_back(
        {.severity = Severity::Warning,
         .code = "clip_skip",
         .item = "clip_skip",
         .message = "clip skip " + std::to_string(clipSkip) + " with " + model.info().checkpoint +
                    " is what other programs call clip skip " + std::to_string(clipSkip + own + 1) +
                    ": the model leaves out a layer by itself",
         .hint = "set it to -1 for clip skip 2 of other programs"});
}

models::PromptRequest promptsOf(const EncodeRequest& request) {
    return {.prompt = request.prompt,
            .negative = request.negative,
            .others = request.others,
            .length = request.length,
            .clipSkip = request.clipSkip,
            .weights = request.weights,
            .numbers = request.numbers,
            .embeddings = request.embeddings,
            .hasTags = request.hasTags};
}

Issues promptWarnings(const models::Model& model,
                      const EncodeRequest& request,
                      const models::PromptsOutline& prompts) {
    Issues issues;
    warnOfUnused(issues, model, request);
    warnOfClipSkip(issues, model, request.clipSkip);
    for (const auto& [item, tokens] : prompts.cutTokens) {
        warnOfCut(issues, model.info().conditioning, tokens, item);
    }
    for (const auto& [item, name] : prompts.embeddings.missing) {
        warnOfMissing(issues, name, *request.embeddings, item);
    }
    warnOfSyntax(issues, model, promptsOf(request).spokenPrompt(), request.weights, "prompt");
    warnOfSyntax(issues, model, request.negative, request.weights, "negative");
    for (size_t i = 0; i < request.others.size(); ++i) {
        warnOfSyntax(
            issues, model, request.others[i].prompt, request.weights, models::promptNameOf(i));
        warnOfSyntax(
            issues, model, request.others[i].negative, request.weights, models::negativeNameOf(i));
    }
    return issues;
}

/// Where in a prompt with tags its text is, of which `spoken` bytes are read.
int64_t placeInPrompt(std::string_view prompt, int64_t spoken) {
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
                                    const EncodeRequest& request,
                                    const models::PromptsOutline& prompts) {
    Json texts = Json::array();
    for (models::TextCount count : prompts.counts) {
        if (request.hasTags && count.parameter == "prompt" && count.readBytes >= 0) {
            count.readBytes = placeInPrompt(request.prompt, count.readBytes);
        }
        texts.push_back(toJson(count));
    }
    return std::make_shared<const Json>(Json{
        {"texts", std::move(texts)}, {"reads_weights", model.info().conditioning.readsWeights}});
}

StageShapes encodeShapes(const EncodeRequest& request, StageFacts&) {
    const models::Model& model = modelIn(request.model);
    const models::PromptsOutline prompts = model.outlinePrompts(promptsOf(request));
    return {.outputs = {outputOf(prompts.positive), outputOf(prompts.negative)},
            .issues = promptWarnings(model, request, prompts),
            .fingerprints = prompts.embeddings.digests(),
            .facts = factsOf(model, request, prompts)};
}

std::vector<WireRef> encodeStage(models::StageContext& context,
                                 const EncodeRequest& request,
                                 const StageCall& call) {
    models::PromptRequest prompted = promptsOf(request);
    prompted.begins = [&](std::string_view role, size_t done, size_t total) {
        call.progress(role, static_cast<double>(done), static_cast<double>(total));
    };
    models::EncodedPrompts prompts = modelIn(request.model).encodePrompts(context, prompted);
    return {std::move(prompts.positive), std::move(prompts.negative)};
}

}  // namespace

const StageDef<EncodeRequest>& stageOf(const EncodeRequest&) {
    static const StageDef<EncodeRequest> def{.name = "encode",
                                             .wires = {{"model", &EncodeRequest::model}},
                                             .source = modelOf<EncodeRequest>,
                                             .roles = {models::kTextEncoders},
                                             .shape = encodeShapes,
                                             .run = encodeStage};
    return def;
}

}  // namespace lowtide::nodes
