#pragma once

#include <cstdint>
#include <vector>

namespace lowtide::models {

using TokenId = int32_t;

/// The tokens of one part of a prompt.
struct WeightedTokens {
    std::vector<TokenId> ids;
    double weight = 1;
    bool isBreak = false;  ///< no tokens: the next part begins a new chunk
};

/// As many tokens as the text encoder takes at once: begin, content, end, padding.
struct PromptChunk {
    static constexpr int64_t kNoPart = -1;

    std::vector<int64_t> ids;
    std::vector<int64_t> mask;   ///< 1 for tokens, 0 for padding
    std::vector<float> weights;  ///< 1 for what is no content
    std::vector<int64_t> parts;  ///< the part that each token is of, or kNoPart
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
};

/// A1111's own reach, its setting comma_padding_backtrack.
inline constexpr int64_t kA1111CommaReach = 20;

/// Cuts a prompt of any length into chunks, at least one; linear time.
/// Source: AUTOMATIC1111 stable-diffusion-webui 1.10, sd_hijack_clip.tokenize_line; Compel cuts
/// without a look at commas.
[[nodiscard]] std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedTokens>& parts,
                                                     const ChunkRules& rules);

}  // namespace lowtide::models
