#pragma once
// A prompt as tokens: in one row of the tokenizer's length, or cut into chunks of any number.

#include "plugin/text/named_embeddings.hpp"

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// A prompt as ids, padded to the tokenizer's length.
struct TokenizedPrompt {
    std::vector<int64_t> ids;
    std::vector<int64_t> mask;     ///< 1 for tokens, 0 for padding
    int64_t cutTokens = 0;         ///< tokens at the end that did not fit
    std::vector<float> weights{};  ///< of tokens that come first; of others 1
};

using TokenId = int32_t;

/// A token of a text, or the vectors of an embedding, which take as many positions as there are.
struct PromptToken {
    TokenId id = 0;             ///< of vectors the first one's: they have ids of their own
    TokenVectorsRef vectors{};  ///< null: the row of the token table

    [[nodiscard]] int64_t positions() const { return vectors ? vectors->count() : 1; }
};

/// The tokens of one part of a prompt.
struct WeightedTokens {
    std::vector<PromptToken> tokens;
    double weight = 1;
    bool isBreak = false;  ///< no tokens: the next part begins a new chunk
};

/// Vectors in place of token rows.
struct TokenOverride {
    int64_t position = 0;  ///< of the first one in its chunk
    int64_t count = 0;     ///< fewer than there are where a text is cut
    TokenVectorsRef vectors;
    int64_t first = 0;  ///< which of the vectors stands at `position`
};

/// As many tokens as the text encoder takes at once: begin, content, end, padding.
struct PromptChunk {
    static constexpr int64_t kNoPart = -1;

    std::vector<int64_t> ids;
    std::vector<int64_t> mask;   ///< 1 for tokens, 0 for padding
    std::vector<float> weights;  ///< 1 for what is no content
    std::vector<int64_t> parts;  ///< the part that each token is of, or kNoPart
    std::vector<TokenOverride> overrides{};
};

/// How a prompt is cut.
struct ChunkRules {
    int64_t length = 77;  ///< with begin and end
    TokenId begin = 0;
    TokenId end = 0;
    TokenId padding = 0;
    TokenId comma = -1;
    /// A full chunk ends behind a comma that is among its last tokens, so many of them at most; 0:
    /// where it is full.
    int64_t commaReach = 0;
    /// Parts with fewer tokens are kept in one chunk, others are cut where it is full; 0: all parts
    /// are cut there.
    int64_t longPart = 0;
};

/// A1111's own reach, its setting comma_padding_backtrack.
inline constexpr int64_t kA1111CommaReach = 20;
/// ComfyUI's ChunkRules::longPart; its parts are stretches of one weight, and embeddings.
inline constexpr int64_t kComfyUiLongPart = 8;

/// Cuts a prompt of any length into chunks, at least one; linear time. Vectors of one embedding,
/// which must fit into a chunk, are kept in one, but in long parts.
/// Sources: AUTOMATIC1111 stable-diffusion-webui 1.10, sd_hijack_clip.tokenize_line; ComfyUI 0.33,
/// sd1_clip.py, as it behaves, for parts; Compel cuts without a look at commas.
[[nodiscard]] std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedTokens>& parts,
                                                     const ChunkRules& rules);

/// One chunk of a prompt without parts, and how many of its tokens did not fit.
struct CutChunk {
    PromptChunk chunk;
    int64_t cutTokens = 0;
};

/// The beginning of a prompt, as diffusers reads it.
[[nodiscard]] CutChunk cutToOneChunk(const std::vector<PromptToken>& tokens,
                                     const ChunkRules& rules);

}  // namespace lowtide::models
