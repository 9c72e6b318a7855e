#pragma once
// Textual inversions: the vectors that stand for a word, and which ones texts named.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Vectors that stand where rows of a text encoder's token table would: a textual inversion.
struct TokenVectors {
    int64_t width = 0;
    std::vector<float> values;  ///< [count, width]

    [[nodiscard]] int64_t count() const { return static_cast<int64_t>(values.size()) / width; }
};

using TokenVectorsRef = std::shared_ptr<const TokenVectors>;

/// A file of an embedding that a text named.
struct NamedEmbedding {
    std::string name;    ///< by which prompts call it
    std::string digest;  ///< SHA-256 of the file

    [[nodiscard]] bool operator==(const NamedEmbedding&) const = default;
};

/// What texts named of a library of embeddings.
struct EmbeddingsNamed {
    std::vector<NamedEmbedding> found;  ///< each once, in the order of the texts
    /// Of embedding:name that is not there: the parameter of the text, and the name.
    std::vector<std::pair<std::string, std::string>> missing;

    void add(const EmbeddingsNamed& others);
    /// "name: hash" of those that were found, as A1111 writes them into images.
    [[nodiscard]] std::vector<std::string> hashes() const;
    /// For result keys.
    [[nodiscard]] std::vector<std::string> digests() const;
};

}  // namespace lowtide::models
