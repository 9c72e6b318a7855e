#include "plugin/models/text/t5_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/pass.hpp"

#include <ATen/ATen.h>

#include <numeric>

namespace lowtide::models {

namespace {

T5EncoderConfig readT5Text(Checkpoint& checkpoint, std::string_view component) {
    const std::string file = std::string(component) + "/config.json";
    return readT5EncoderConfig(checkpoint.readJson(file), checkpoint.name() + "/" + file);
}

/// int64 [1, T] of a copy.
at::Tensor rowOf(const std::vector<int64_t>& numbers) {
    return at::tensor(numbers, at::TensorOptions(at::kLong)).unsqueeze(0);
}

int64_t tokensIn(const TokenizedPrompt& prompt) {
    return std::accumulate(prompt.mask.begin(), prompt.mask.end(), int64_t{0});
}

}  // namespace

T5Text::T5Text(Checkpoint& checkpoint,
               const std::string& tokenizer,
               std::string_view role,
               int64_t length)
    : role_(role),
      config_(readT5Text(checkpoint, role)),
      length_(length),
      weights_(checkpoint.laterWeights(role_, kTransformersStem)),
      tokenizer_(checkpoint, tokenizer) {
    if (tokenizer_.vocabularySize() > config_.vocabularySize) {
        throw Error(ErrorKind::Corrupt,
                    "checkpoint " + checkpoint.name() + ": the tokenizer has " +
                        std::to_string(tokenizer_.vocabularySize()) +
                        " tokens, the text encoder knows " + std::to_string(config_.vocabularySize),
                    "choose another checkpoint",
                    "checkpoint");
    }
}

TokenizedPrompt T5Text::tokenize(std::string_view text, const std::string& item) const {
    return tokenizer_.tokenize(text, length_, item);
}

at::Tensor T5Text::encode(Pass& pass,
                          const TokenizedPrompt& positive,
                          const TokenizedPrompt& negative) const {
    std::vector<at::Tensor> rows;
    std::vector<int64_t> lengths;
    for (const TokenizedPrompt* each : {&positive, &negative}) {
        rows.push_back(rowOf(each->ids));
        lengths.push_back(tokensIn(*each));
        pass.record().putNext("tokens", rows.back());
        pass.record().putNext("tokens_mask", rowOf(each->mask));
    }
    return encoder().encode(pass, at::cat(rows), lengths);
}

const T5Encoder& T5Text::encoder() const {
    const std::lock_guard lock(mutex_);
    if (!encoder_) {
        encoder_ = std::make_unique<const T5Encoder>(config_, weights_(), role_);
    }
    return *encoder_;
}

std::shared_ptr<const memory::ComponentTree> T5Text::openedTree() const {
    const std::lock_guard lock(mutex_);
    return encoder_ ? encoder_->tree() : nullptr;
}

}  // namespace lowtide::models
