#include "plugin/checkpoints/encoders/t5_text.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/text/vocabulary_check.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

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

at::Tensor T5Text::encode(Pass& pass,
                          const PromptTokenPair& texts,
                          T5Padding padding,
                          const std::string& suffix) const {
    const at::Tensor ids = texts.rows(pass, suffix);
    return encoder_.get().encode(pass, ids, texts.lengths(), padding);
}

}  // namespace lowtide::models
