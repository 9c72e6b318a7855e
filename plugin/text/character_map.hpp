#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What sentencepiece's files replace in a text before it is cut: a double-array trie of what is
/// replaced, and a text for each. Source: sentencepiece's normalizer.cc, Darts-clone; applied as
/// tokenizers 0.23 does (Precompiled), to whole graphemes of up to five bytes, else to characters.
class CharacterMap {
public:
    /// `bytes`: precompiled_charsmap; empty: nothing is replaced. Error{Corrupt} with `what` where
    /// it is cut off, or replaces by what is no short UTF-8.
    CharacterMap(std::string_view bytes, const std::string& what);

    /// `text` must be valid UTF-8; the result is.
    [[nodiscard]] std::string applied(std::string_view text) const;

private:
    void requireTexts(const std::string& what) const;
    /// What stands for `text`, by the shortest beginning of it that the trie has; nullptr: nothing.
    [[nodiscard]] const char* replacement(std::string_view text) const;

    std::vector<uint32_t> trie_;
    std::string texts_;  ///< each ends with a zero
};

}  // namespace lowtide::models
