#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/opened_later.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/text/clip_tokenizer.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A text encoder of a checkpoint and the tokenizer that belongs to it. Any thread.
class ClipEncoder {
public:
    /// The component is named like the role of `use`; `tokenizer` is its tokenizer's folder.
    /// Error{Corrupt} when the tokenizer makes what the encoder does not take; and those of their
    /// readers.
    ClipEncoder(Checkpoint& checkpoint, const std::string& tokenizer, ClipTextUse use);

    [[nodiscard]] const std::string& role() const { return use_.role; }

    [[nodiscard]] const ClipTextConfig& config() const { return config_; }

    [[nodiscard]] const ClipTokenizer& tokenizer() const { return tokenizer_; }

    /// How its texts name embeddings of a library, which may be null; `set`: the one for it of
    /// files that have several.
    [[nodiscard]] EmbeddingUse embeddingsIn(const EmbeddingLibrary* library,
                                            std::string_view set) const;

    /// The network; opens its files.
    [[nodiscard]] const ClipTextModel& model() const { return model_.get(); }

    /// Its tree; null as long as model() was not asked for.
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree() const {
        return model_.openedTree();
    }

private:
    ClipTextUse use_;
    ClipTextConfig config_;
    ClipTokenizer tokenizer_;
    OpenedLater<ClipTextModel> model_;
};

}  // namespace lowtide::models
