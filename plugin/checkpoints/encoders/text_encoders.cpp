#include "plugin/checkpoints/encoders/text_encoders.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/encoders/weighted_embedding.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/text/model_files.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lowtide::models {

namespace {

/// int64 [1, T] of a copy.
at::Tensor rowOf(const std::vector<int64_t>& numbers) {
    return at::tensor(numbers, at::TensorOptions(at::kLong)).unsqueeze(0);
}

/// Those that are no padding.
int64_t realTokensOf(const TokenizedPrompt& text) {
    return std::accumulate(text.mask.begin(), text.mask.end(), int64_t{0});
}

bool isWeighted(const TokenizedPrompt& text) {
    return std::any_of(
        text.weights.begin(), text.weights.end(), [](float weight) { return weight != 1; });
}

}  // namespace

at::Tensor PromptTokenPair::rows(Forward& forward, const std::string& suffix) const {
    std::vector<at::Tensor> rows;
    for (const TokenizedPrompt* each : {&positive, &negative}) {
        rows.push_back(rowOf(each->ids));
        forward.record().putNext("tokens" + suffix, rows.back());
        forward.record().putNext("tokens_mask" + suffix, rowOf(each->mask));
    }
    return at::cat(rows);
}

std::vector<int64_t> PromptTokenPair::lengths() const {
    return {realTokensOf(positive), realTokensOf(negative)};
}

namespace {

ClipTextConfig readText(Checkpoint& checkpoint, const std::string& component) {
    const std::string file = component + "/config.json";
    return readClipTextConfig(checkpoint.readJson(file), checkpoint.pathOf(file));
}

}  // namespace

ClipEncoder::ClipEncoder(Checkpoint& checkpoint, const std::string& tokenizer, ClipTextUse use)
    : use_(std::move(use)),
      config_(readText(checkpoint, use_.role)),
      tokenizer_(
          openTokenizer(checkpoint,
                        use_.role,
                        config_.vocabularySize,
                        [&] { return ClipTokenizer(checkpoint, tokenizer, config_.positions); })),
      model_([config = config_,
              own = use_,
              weights = checkpoint.laterWeights(use_.role, kTransformersStem)] {
          return std::make_unique<const ClipTextModel>(config, weights(), own);
      }) {
    if (tokenizer_.length() > config_.positions) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: the tokenizer makes {} tokens, the text encoder takes {}",
                            tokenizer_.file(),
                            tokenizer_.length(),
                            config_.positions),
                    message("choose another checkpoint"),
                    checkpoint.itemOf(use_.role));
    }
}

std::array<at::Tensor, 2> ClipEncoder::pooledOf(StageContext& context,
                                                const PromptTokenPair& texts,
                                                const std::string& suffix) const {
    Forward forward(context, *model().tree());
    (void)texts.rows(forward, suffix);
    const std::array<ClipTextModel::Row, 2> rows = {ClipTextModel::Row{.ids = texts.positive.ids},
                                                    ClipTextModel::Row{.ids = texts.negative.ids}};
    const std::vector<ClipTextModel::Output> outputs = model().encode(forward, rows);
    for (const ClipTextModel::Output& each : outputs) {
        noteFinite(context, forward.tree(), each.pooled);
    }
    return {outputs[0].pooled, outputs[1].pooled};
}

EmbeddingUse ClipEncoder::embeddingsIn(const EmbeddingLibrary* library,
                                       std::string_view set) const {
    return {.library = library,
            .set = set,
            .encoder = message("text encoder ({})", use_.role),
            .width = config_.width};
}

namespace {

T5EncoderConfig readT5Text(Checkpoint& checkpoint, std::string_view component) {
    const std::string file = std::string(component) + "/config.json";
    return readT5EncoderConfig(checkpoint.readJson(file), checkpoint.pathOf(file));
}

}  // namespace

T5Text::T5Text(Checkpoint& checkpoint, const std::string& tokenizer, std::string_view role)
    : role_(role),
      config_(readT5Text(checkpoint, role)),
      tokenizer_(openTokenizer(checkpoint,
                               role_,
                               config_.vocabularySize,
                               [&] { return UnigramTokenizer(checkpoint, tokenizer); })),
      encoder_([config = config_,
                role = role_,
                weights = checkpoint.laterWeights(role_, kTransformersStem)] {
          return std::make_unique<const T5Encoder>(config, weights(), role);
      }) {}

at::Tensor T5Text::encode(Forward& forward,
                          const PromptTokenPair& texts,
                          T5Padding padding,
                          const std::string& suffix) const {
    const at::Tensor ids = texts.rows(forward, suffix);
    return encoder_.get().encode(forward, ids, texts.lengths(), padding);
}

std::array<at::Tensor, 2> T5Text::encodeWeighted(Forward& forward,
                                                 const PromptTokenPair& texts,
                                                 T5Padding padding,
                                                 const std::string& suffix) const {
    const auto statesOf = [&](const std::vector<const TokenizedPrompt*>& rows) {
        return weightedStates(forward, rows, padding, suffix);
    };
    if (texts.positive.ids.size() == texts.negative.ids.size()) {
        std::vector<at::Tensor> both = statesOf({&texts.positive, &texts.negative});
        return {std::move(both[0]), std::move(both[1])};
    }
    at::Tensor positive = statesOf({&texts.positive}).front();
    return {std::move(positive), statesOf({&texts.negative}).front()};
}

std::vector<at::Tensor> T5Text::weightedStates(Forward& forward,
                                               const std::vector<const TokenizedPrompt*>& texts,
                                               T5Padding padding,
                                               const std::string& suffix) const {
    const auto count = static_cast<int64_t>(texts.front()->ids.size());
    std::vector<at::Tensor> rows;
    std::vector<int64_t> lengths;
    const auto add = [&](const TokenizedPrompt& text) {
        rows.push_back(rowOf(text.ids));
        lengths.push_back(padding == T5Padding::Seen ? count : realTokensOf(text));
    };
    for (const TokenizedPrompt* text : texts) {
        add(*text);
        forward.record().putNext("tokens" + suffix, rows.back());
        forward.record().putNext("tokens_mask" + suffix, rowOf(text->mask));
    }
    if (std::any_of(
            texts.begin(), texts.end(), [](const auto* text) { return isWeighted(*text); })) {
        add(tokenizer_.tokenize("", count, "prompt"));
    }
    const at::Tensor states = encoder_.get().encode(forward, at::cat(rows), lengths, padding);
    std::vector<at::Tensor> own;
    for (const TokenizedPrompt* text : texts) {
        const at::Tensor row = states.narrow(0, static_cast<int64_t>(own.size()), 1);
        own.push_back(
            isWeighted(*text)
                ? awayFromEmpty(row, states.narrow(0, states.size(0) - 1, 1), text->weights)
                : row.clone());  // a view would hold all rows
    }
    return own;
}

namespace {

LanguageModelConfig readLanguageText(Checkpoint& checkpoint, const std::string& component) {
    const std::string file = component + "/config.json";
    return readLanguageModelConfig(checkpoint.readJson(file), checkpoint.pathOf(file));
}

/// A token that a tokenizer's settings name, written as its text or as an object. `role`: whose
/// tokenizer it is.
TokenId namedToken(Checkpoint& checkpoint,
                   const std::string& role,
                   const std::string& tokenizer,
                   const char* key,
                   const ByteLevelTokenizer& tokens) {
    const std::string file = tokenizer + "/tokenizer_config.json";
    const Json settings = checkpoint.readJson(file);
    const auto stated = settings.is_object() ? settings.find(key) : settings.end();
    std::string content;
    if (settings.is_object() && stated != settings.end()) {
        content = stated->is_string() ? stated->get<std::string>()
                  : stated->is_object() && stated->contains("content") &&
                          stated->at("content").is_string()
                      ? stated->at("content").get<std::string>()
                      : std::string();
    }
    const TokenId id = content.empty() ? -1 : tokens.idOf(content);
    if (id < 0) {
        throw Error(ErrorKind::Corrupt,
                    content.empty() ? message("{}: {} is missing", checkpoint.pathOf(file), key)
                                    : message("{}: {} is {}, which tokenizer.json does not have",
                                              checkpoint.pathOf(file),
                                              key,
                                              quotedName(content)),
                    message("get tokenizer.json and tokenizer_config.json of the model that was "
                            "trained for instructions"),
                    checkpoint.itemOf(role));
    }
    return id;
}

}  // namespace

LanguageText::LanguageText(Checkpoint& checkpoint,
                           const std::string& tokenizer,
                           std::string_view role,
                           const char* paddingKey)
    : role_(role),
      config_(readLanguageText(checkpoint, role_)),
      tokenizer_(openTokenizer(checkpoint,
                               role_,
                               config_.vocabularySize,
                               [&] { return ByteLevelTokenizer(checkpoint, tokenizer); })),
      padding_(namedToken(checkpoint, role_, tokenizer, paddingKey, tokenizer_)),
      model_([config = config_,
              own = role_,
              weights = checkpoint.laterWeights(role_, kTransformersStem)] {
          return std::make_unique<const LanguageModel>(config, weights(), own);
      }) {}

TokenizedPrompt LanguageText::tokenize(std::string_view text,
                                       int64_t length,
                                       const std::string& item) const {
    TokenizedPrompt prompt = tokenizer_.tokenize(text, length, padding_, item);
    if (!prompt.mask.empty() && prompt.mask.front() == 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} makes no token of an empty prompt, and the {} reads at least one",
                            tokenizer_.file(),
                            role_),
                    message("write a prompt, or put the tokenizer.json of the model's own "
                            "repository there, which begins each text with a token"));
    }
    return prompt;
}

at::Tensor LanguageText::encode(Forward& forward,
                                const PromptTokenPair& texts,
                                int64_t first,
                                int64_t last,
                                const std::string& suffix) const {
    const at::Tensor ids = texts.rows(forward, suffix);
    return model_.get().encode(forward, ids, texts.lengths(), first, last);
}

}  // namespace lowtide::models
