#include "plugin/checkpoints/encoders/language_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/text/vocabulary_check.hpp"

namespace lowtide::models {

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
        throw Error(
            ErrorKind::Corrupt,
            checkpoint.pathOf(file) + ": " + key +
                (content.empty()
                     ? std::string(" is missing")
                     : " is " + quotedName(content) + ", which tokenizer.json does not have"),
            "get tokenizer.json and tokenizer_config.json of the model that was trained for "
            "instructions",
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
    return tokenizer_.tokenize(text, length, padding_, item);
}

at::Tensor LanguageText::encode(Pass& pass,
                                const PromptTokenPair& texts,
                                int64_t first,
                                int64_t last,
                                const std::string& suffix) const {
    const at::Tensor ids = texts.rows(pass, suffix);
    return model_.get().encode(pass, ids, texts.lengths(), first, last);
}

}  // namespace lowtide::models
