#include "plugin/checkpoints/encoders/clip_encoder.hpp"

#include "plugin/base/error.hpp"
#include "plugin/text/vocabulary_check.hpp"

#include <utility>

namespace lowtide::models {

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
                    tokenizer_.file() + ": the tokenizer makes " +
                        std::to_string(tokenizer_.length()) + " tokens, the text encoder takes " +
                        std::to_string(config_.positions),
                    "choose another checkpoint",
                    checkpoint.itemOf(use_.role));
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
