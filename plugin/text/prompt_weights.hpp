#pragma once
// What prompts write of weights: the numbers, the grammars of A1111 and Compel, and which one is
// read.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Numbers as prompts write them: digits and a point, no exponent.
struct PromptNumber {
    double value = 0;
    size_t length = 0;  ///< bytes of the text that it takes
};

/// The number at the start of `text`; a sign counts where `isSigned`. Empty when there is none, or
/// when it is too large for a double.
[[nodiscard]] std::optional<PromptNumber> numberAt(std::string_view text, bool isSigned);

/// Space, tab, line breaks: what separates words in the grammar of prompts.
[[nodiscard]] bool isPromptSpace(char c) noexcept;

[[nodiscard]] constexpr bool isDecimalDigit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// A stretch of a prompt that is spoken with one weight.
struct WeightedPart {
    std::string text;
    double weight = 1;     ///< 1 as it is; finite but for what ComfyUI reads
    bool isBreak = false;  ///< no text: what follows begins a new chunk
};

/// How a prompt states what counts more, and what the numbers do.
enum class PromptWeights : uint8_t {
    None,     ///< brackets are text; one chunk, the rest is cut, as diffusers does it
    A1111,    ///< parseA1111Prompt(); chunks; embeddings are scaled, their mean is kept
    Compel,   ///< parseCompelPrompt(); chunks; away from the empty prompt, or from the one without
              ///< it
    ComfyUi,  ///< parseComfyUiPrompt(); chunks of whole words; away from the empty prompt
};

/// Which of them the text encoders of a model read.
enum class WeightsRead : uint8_t {
    All,
    ComfyUi,  ///< ComfyUI's alone: with the others brackets are text
    None      ///< brackets are text
};

/// By the names "none", "a1111", "compel", "comfyui". Error{InvalidInput} on "weights".
[[nodiscard]] PromptWeights promptWeightsNamed(const std::string& name);

/// Weights as A1111 writes them: (x) 1.1, [x] 1/1.1, (x:1.3), nested ones multiply; a backslash
/// makes brackets literal; the word BREAK begins a new chunk. A closing bracket without an opening
/// one is text; an opening one without a closing one lasts to the end. Neighbours of one weight are
/// one part; at least one part. Takes any bytes, never throws on them, linear time.
/// Differs from A1111: BREAK inside brackets breaks too (there: a word of weight -1.1); a weight
/// that is no number (1.2.3) is text (there: an exception); brackets nested more than 64 deep are
/// text. [a:b:0.5] and AND have no meaning.
/// Source: AUTOMATIC1111 stable-diffusion-webui 1.10, prompt_parser.parse_prompt_attention.
[[nodiscard]] std::vector<WeightedPart> parseA1111Prompt(std::string_view text);

/// A prompt in Compel's grammar.
struct CompelPrompt {
    std::vector<WeightedPart> parts;  ///< at least one; no breaks
    /// The first operator that is not built, as it is written (".blend", ".and", ".swap",
    /// "withLora"); empty: none. Then the parts mean nothing.
    std::string unsupported;
};

/// Weights as Compel writes them: word++ is 1.1^2, word-- 0.9^2, (some words)1.3, (a b)+, "a b"-,
/// (a b).attend(1.2); nested ones multiply. An operator follows its word or bracket without a
/// space, and a word has one only where it begins behind a space or an operator. \( \) \" \+ and so
/// on are literal; brackets and quotes without a partner are text. Neighbours of one weight are one
/// part. Takes any bytes, never throws on them, linear time.
/// Source: damian0815 compel 2.1, prompt_parser.py.
[[nodiscard]] CompelPrompt parseCompelPrompt(std::string_view text);

}  // namespace lowtide::models
