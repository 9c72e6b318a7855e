#pragma once
// How long a text is for a text encoder. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/text/prompt_chunks.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// How many tokens one text encoder reads of one text.
struct TextCount {
    std::string parameter;        ///< where the text is written: "prompt"
    std::string role;             ///< of the encoder: "text_encoder_2"
    std::string encoder;          ///< what users call it: "CLIP", "T5"
    std::vector<int64_t> chunks;  ///< tokens of the text in each, without begin, end and padding
    int64_t capacity = 0;         ///< the most of them in one chunk
    int64_t cutTokens = 0;        ///< left out at the end
    int64_t readBytes = -1;       ///< of the text, whole words, where some are left out; -1: all
};

/// {"parameter", "role", "encoder", "chunks", "room", "cut", "read"}.
[[nodiscard]] Json toJson(const TextCount& count);

/// How many bytes of `text` are whole words that are read: `isCut` reports for a prefix of it
/// whether tokens are left out. Asks for about as much as fits, however long the text is.
[[nodiscard]] int64_t bytesRead(std::string_view text,
                                const std::function<bool(std::string_view beginning)>& isCut);

/// Of an encoder with one row of tokens: `tokenize` gives it, and what of it every text has.
[[nodiscard]] TextCount countText(
    std::string parameter,
    std::string_view role,
    std::string encoder,
    std::string_view text,
    const std::function<TokenizedPrompt(std::string_view text)>& tokenize);

}  // namespace lowtide::models
