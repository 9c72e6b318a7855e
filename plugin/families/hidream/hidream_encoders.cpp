#include "plugin/families/hidream/hidream_encoders.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

namespace lowtide::models {

namespace {

constexpr std::array kEncoderRoles = {kTextEncoder, kTextEncoder2, kTextEncoder3, kTextEncoder4};
/// Of T5 and the language model among them.
constexpr size_t kT5 = 2;
constexpr size_t kLanguage = 3;
constexpr int64_t kUsualLength = 128;  ///< max_sequence_length of diffusers' pipeline
constexpr int64_t kMostClipTokens = 218;
constexpr int64_t kLeastLength = 16;
constexpr int64_t kMostLength = 512;

bool hasComponent(const Checkpoint& checkpoint, std::string_view role) {
    return !checkpoint.componentClass(role).empty();
}

std::unique_ptr<const ClipEncoder> openClip(Checkpoint& checkpoint, size_t number) {
    const std::string role(kEncoderRoles[number]);
    if (!hasComponent(checkpoint, role)) {
        return nullptr;
    }
    const std::string tokenizer = number == 0 ? "tokenizer" : "tokenizer_2";
    requireComponent(checkpoint, "hidream", role.c_str(), {"CLIPTextModelWithProjection"});
    requireComponent(
        checkpoint, "hidream", tokenizer.c_str(), {"CLIPTokenizer", "CLIPTokenizerFast"});
    return std::make_unique<const ClipEncoder>(
        checkpoint,
        tokenizer,
        ClipTextUse{.role = role, .state = ClipTextState::Penultimate, .projectsPooled = true});
}

std::unique_ptr<const T5Text> openT5Text(Checkpoint& checkpoint) {
    if (!hasComponent(checkpoint, kTextEncoder3)) {
        return nullptr;
    }
    requireComponent(checkpoint, "hidream", "text_encoder_3", {"T5EncoderModel"});
    requireTokenizer(
        checkpoint, kTextEncoder3, "tokenizer_3", message("spiece.model of T5 v1.1 XXL"));
    requireComponent(checkpoint, "hidream", "tokenizer_3", {"T5Tokenizer", "T5TokenizerFast"});
    return std::make_unique<const T5Text>(checkpoint, "tokenizer_3", kTextEncoder3);
}

/// Published checkpoints name it, and leave it to another repository.
std::unique_ptr<const LanguageText> openLanguage(Checkpoint& checkpoint) {
    const std::string config = std::string(kTextEncoder4) + "/config.json";
    const std::string item = checkpoint.itemOf(kTextEncoder4);
    if (!hasComponent(checkpoint, kTextEncoder4) || !checkpoint.has(config)) {
        throw MissingComponent(
            Error(ErrorKind::NotFound,
                  message("checkpoint {}: it lacks its fourth text encoder, Llama 3.1 8B Instruct",
                          checkpoint.name()),
                  item == "checkpoint"
                      ? message("choose its folder as fourth text encoder: Meta publishes it as "
                                "Meta-Llama-3.1-8B-Instruct")
                      : message("choose its file in Load text encoders: ComfyUI's repackaged files "
                                "of HiDream-I1 have it as llama_3.1_8b_instruct, Meta publishes it "
                                "as Meta-Llama-3.1-8B-Instruct"),
                  item),
            std::string(kTextEncoder4));
    }
    requireComponent(checkpoint, "hidream", "text_encoder_4", {"LlamaForCausalLM", "LlamaModel"});
    requireTokenizer(checkpoint,
                     kTextEncoder4,
                     "tokenizer_4",
                     message("tokenizer.json of Meta-Llama-3.1-8B-Instruct"));
    return std::make_unique<const LanguageText>(
        checkpoint, "tokenizer_4", kTextEncoder4, "eos_token");
}

/// What an encoder reads, and the parameter that it stands in.
struct ReadText {
    std::string text;
    std::string parameter;
};

/// Of encoder number `encoder`.
ReadText promptFor(const PromptRequest& request, size_t encoder) {
    const bool isOwn = encoder > 0 && !request.others[encoder - 1].prompt.empty();
    return isOwn ? ReadText{request.others[encoder - 1].prompt, promptNameOf(encoder - 1)}
                 : ReadText{request.spokenPrompt(), "prompt"};
}

ReadText negativeFor(const PromptRequest& request, size_t encoder) {
    const bool isOwn = encoder > 0 && !request.others[encoder - 1].negative.empty();
    return isOwn ? ReadText{request.others[encoder - 1].negative, negativeNameOf(encoder - 1)}
                 : ReadText{request.negative, "negative"};
}

}  // namespace

HiDreamEncoders::HiDreamEncoders(Checkpoint& checkpoint)
    : clips_({openClip(checkpoint, 0), openClip(checkpoint, 1)}),
      t5_(openT5Text(checkpoint)),
      language_(openLanguage(checkpoint)) {}

bool HiDreamEncoders::has(std::string_view role) const {
    return (role == kEncoderRoles[0] && clips_[0]) || (role == kEncoderRoles[1] && clips_[1]) ||
           (role == kTextEncoder3 && t5_) || role == kTextEncoder4;
}

std::vector<TreeSource> HiDreamEncoders::treeSources() const {
    std::vector<TreeSource> sources = {language_->treeSource()};
    for (const auto& clip : clips_) {
        if (clip) {
            sources.push_back(clip->treeSource());
        }
    }
    if (t5_) {
        sources.push_back(t5_->treeSource());
    }
    return sources;
}

void HiDreamEncoders::requireWidths(const Checkpoint& checkpoint,
                                    const HiDreamTextWidths& widths) const {
    const auto require = [&](const char* role, int64_t given, int64_t read) {
        if (given != read) {
            refuseComponent(
                checkpoint,
                role,
                message(
                    "{} gives texts {} wide, the denoiser reads them {} wide", role, given, read));
        }
    };
    if (t5_) {
        require("text_encoder_3", t5_->config().width, widths.t5);
    }
    require("text_encoder_4", language_->config().width, widths.language);
    int64_t pooled = 0;
    for (const auto& clip : clips_) {
        pooled += clip ? clip->config().projectionWidth : 0;
    }
    const bool hasBoth = clips_[0] && clips_[1];
    if (hasBoth ? pooled != widths.pooled : pooled > widths.pooled) {
        require(clips_[1] ? "text_encoder_2" : "text_encoder", pooled, widths.pooled);
    }
}

int64_t HiDreamEncoders::lengthOf(const PromptRequest& request) const {
    if (request.length == 0) {
        return kUsualLength;
    }
    const int64_t most = std::min(kMostLength, language_->config().positions);
    requireThat(request.length >= kLeastLength && request.length <= most,
                message("the texts shall have {} tokens", request.length),
                message("choose {} to {}, or 0 for the usual {}", kLeastLength, most, kUsualLength),
                "length");
    return request.length;
}

TokenizedPrompt HiDreamEncoders::tokensOf(size_t encoder,
                                          const std::string& text,
                                          int64_t length,
                                          const std::string& parameter) const {
    if (encoder == kLanguage) {
        return language_->tokenize(text, length, parameter);
    }
    if (encoder == kT5) {
        return t5_->tokenizer().tokenize(text, length, parameter);
    }
    const ClipTokenizer& tokenizer = clips_[encoder]->tokenizer();
    return tokenizer.tokenize(
        text, std::min({length, kMostClipTokens, tokenizer.length()}), parameter);
}

PromptTokenPair HiDreamEncoders::textsOf(const PromptRequest& request, size_t encoder) const {
    const int64_t length = lengthOf(request);
    const ReadText prompt = promptFor(request, encoder);
    const ReadText negative = negativeFor(request, encoder);
    return {.positive = tokensOf(encoder, prompt.text, length, prompt.parameter),
            .negative = tokensOf(encoder, negative.text, length, negative.parameter)};
}

std::vector<std::pair<std::string, int64_t>> HiDreamEncoders::cutTokens(
    const PromptRequest& request) const {
    std::map<std::string, int64_t> most;
    const auto add = [&](const std::string& parameter, int64_t tokens) {
        most[parameter] = std::max(most[parameter], tokens);
    };
    for (size_t encoder = 0; encoder < kMostTextEncoders; ++encoder) {
        if (has(kEncoderRoles[encoder])) {
            const PromptTokenPair texts = textsOf(request, encoder);
            add(promptFor(request, encoder).parameter, texts.positive.cutTokens);
            add(negativeFor(request, encoder).parameter, texts.negative.cutTokens);
        }
    }
    return {most.begin(), most.end()};
}

std::vector<TextCount> HiDreamEncoders::counts(const PromptRequest& request) const {
    static constexpr std::array kNames = {"CLIP-L", "CLIP-G", "T5", "Llama"};
    static_assert(kNames.size() == kMostTextEncoders);
    const int64_t length = lengthOf(request);
    std::vector<TextCount> all;
    for (size_t encoder = 0; encoder < kMostTextEncoders; ++encoder) {
        if (!has(kEncoderRoles[encoder])) {
            continue;
        }
        for (const ReadText& read : {promptFor(request, encoder), negativeFor(request, encoder)}) {
            all.push_back(countText(read.parameter,
                                    kEncoderRoles[encoder],
                                    kNames[encoder],
                                    read.text,
                                    [&](std::string_view text) {
                                        return tokensOf(
                                            encoder, std::string(text), length, read.parameter);
                                    }));
        }
    }
    return all;
}

std::array<at::Tensor, 2> HiDreamEncoders::pooledBy(StageContext& context,
                                                    const PromptRequest& request,
                                                    size_t encoder) const {
    reportBegin(request, encoder);
    return clips_[encoder]->pooledOf(context, textsOf(request, encoder), encoder == 0 ? "" : "_2");
}

void HiDreamEncoders::reportBegin(const PromptRequest& request, size_t encoder) const {
    if (!request.begins) {
        return;
    }
    const auto count = [&](size_t end) {
        return static_cast<size_t>(
            std::count_if(kEncoderRoles.begin(),
                          kEncoderRoles.begin() + static_cast<ptrdiff_t>(end),
                          [&](auto role) { return has(role); }));
    };
    request.begins(kEncoderRoles[encoder], count(encoder), count(kEncoderRoles.size()));
}

/// What is made here lies where the language model computes.
template <class Work>
void HiDreamEncoders::whereJoined(StageContext& context, const Work& work) const {
    const memory::ComponentTree& language = *language_->model().get().tree();
    onDeviceOf(context.dryRun, context.treeOf(language), [&] {
        work(at::TensorOptions(at::kFloat).device(context.deviceOf(language)));
    });
}

/// The part of an encoder that is missing is what is missing of the width.
std::array<at::Tensor, 2> HiDreamEncoders::pooled(StageContext& context,
                                                  const PromptRequest& request,
                                                  int64_t width) const {
    std::array<std::array<at::Tensor, 2>, 2> given;
    int64_t missing = width;
    for (size_t encoder = 0; encoder < clips_.size(); ++encoder) {
        if (clips_[encoder]) {
            given[encoder] = pooledBy(context, request, encoder);
            missing -= given[encoder][0].size(1);
        }
    }
    std::array<at::Tensor, 2> joined;
    whereJoined(context, [&](const at::TensorOptions& options) {
        const at::Tensor none = at::zeros({1, missing}, options);
        for (size_t branch = 0; branch < joined.size(); ++branch) {
            const auto part = [&](const std::array<at::Tensor, 2>& own) {
                return own[branch].defined() ? tensor::upload(own[branch], options.device()) : none;
            };
            joined[branch] = !clips_[0] && !clips_[1]
                                 ? none.clone()
                                 : at::cat({part(given[0]), part(given[1])}, -1);
        }
    });
    return joined;
}

at::Tensor HiDreamEncoders::t5States(StageContext& context,
                                     const PromptRequest& request,
                                     int64_t width) const {
    if (t5_) {
        reportBegin(request, kT5);
        Forward forward(context, *t5_->encoder().get().tree());
        at::Tensor states = t5_->encode(forward, textsOf(request, kT5), T5Padding::Kept, "_3");
        noteFinite(context, forward.tree(), states);
        return states;
    }
    at::Tensor none;
    whereJoined(context, [&](const at::TensorOptions& options) {
        none = at::zeros({2, lengthOf(request), width}, options);
    });
    return none;
}

std::array<HiDreamTexts, 2> HiDreamEncoders::encode(StageContext& context,
                                                    const PromptRequest& request,
                                                    const HiDreamTextWidths& widths) const {
    const std::array<at::Tensor, 2> vectors = pooled(context, request, widths.pooled);
    const at::Tensor t5 = t5States(context, request, widths.t5);
    reportBegin(request, kLanguage);
    Forward forward(context, *language_->model().get().tree());
    const at::Tensor language = language_->encode(
        forward, textsOf(request, kLanguage), 1, language_->config().layers, "_4");
    noteFinite(context, forward.tree(), language);
    std::array<HiDreamTexts, 2> branches;
    for (size_t branch = 0; branch < branches.size(); ++branch) {
        const auto row = static_cast<int64_t>(branch);
        // Views would hold both sides.
        branches[branch] = {.t5 = t5.narrow(0, row, 1).clone(),
                            .language = language.narrow(0, row, 1).clone(),
                            .pooled = vectors[branch]};
    }
    return branches;
}

}  // namespace lowtide::models
