#include "plugin/models/text/clip_encoder.hpp"

#include "plugin/base/error.hpp"

#include <utility>

namespace lowtide::models {

namespace {

ClipTextConfig readText(Checkpoint& checkpoint, const std::string& component) {
    const std::string file = component + "/config.json";
    return readClipTextConfig(checkpoint.readJson(file), checkpoint.name() + "/" + file);
}

}  // namespace

ClipEncoder::ClipEncoder(Checkpoint& checkpoint, const std::string& tokenizer, ClipTextUse use)
    : use_(std::move(use)),
      config_(readText(checkpoint, use_.role)),
      tokenizer_(checkpoint, tokenizer, config_.positions),
      model_([config = config_,
              own = use_,
              weights = checkpoint.laterWeights(use_.role, kTransformersStem)] {
          return std::make_unique<const ClipTextModel>(config, weights(), own);
      }) {
    checkTokenizer(checkpoint.name());
}

void ClipEncoder::checkTokenizer(const std::string& checkpoint) const {
    const auto refuse = [&](const std::string& problem) {
        throw Error(ErrorKind::Corrupt,
                    "checkpoint " + checkpoint + ": " + problem,
                    "choose another checkpoint",
                    "checkpoint");
    };
    if (tokenizer_.vocabularySize() > config_.vocabularySize) {
        refuse("the tokenizer has " + std::to_string(tokenizer_.vocabularySize()) +
               " tokens, the text encoder knows " + std::to_string(config_.vocabularySize));
    }
    if (tokenizer_.length() > config_.positions) {
        refuse("the tokenizer makes " + std::to_string(tokenizer_.length()) +
               " tokens, the text encoder takes " + std::to_string(config_.positions));
    }
}

EmbeddingUse ClipEncoder::embeddingsIn(const EmbeddingLibrary* library,
                                       std::string_view set) const {
    return {.library = library,
            .set = set,
            .encoder = "text encoder (" + use_.role + ")",
            .width = config_.width};
}

}  // namespace lowtide::models
