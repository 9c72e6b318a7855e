#pragma once
// The tokenizer of a file of weights that holds none, chosen by how many tokens it has: one next to
// the file, else one that comes with Lowtide. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/single_file/built_in_tokenizer.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// One way to write a tokenizer: files that must all be there.
struct TokenizerForm {
    std::vector<const char*> files;
    /// How many tokens they hold; nothing: they are of another kind. Error{Corrupt} for what no
    /// such file states.
    std::optional<int64_t> (*tokens)(const FileDocuments& found) = nullptr;
};

/// What a text encoder needs of a tokenizer.
struct TokenizerNeed {
    std::string className;
    std::span<const TokenizerForm> forms;     ///< of one folder, the better one first
    std::span<const char* const> settings{};  ///< files that come along
    std::span<const BuiltInTokenizer> builtIn{};
    std::string resourcesFolder;  ///< holds those
    int64_t rows = 0;             ///< of the embedding
    Message remedy;               ///< where no tokenizer fits
};

/// The tokenizer that lies next to a file of weights: in its folder, a folder of the diffusers
/// layout or one of ComfyUI's or its authors' next to it. Of several the first that fits the rows;
/// its files are added to `stamps`. Where none fits, the built-in one that does, unless one next to
/// the file is damaged. Else reading it is Error{NotFound} that states what each has, and Error of
/// its own where there is one alone. Without files where there is none at all.
[[nodiscard]] FileDocuments siblingTokenizer(const std::string& weights,
                                             const TokenizerNeed& need,
                                             std::vector<memory::WeightFile>& stamps);

// How many tokens a tokenizer holds, seen without making it. Each reads what its form of
// TokenizerForm names; nothing: the files are of another kind. Error{Corrupt} for no such file.

/// spiece.model, with the sentinels that tokenizer_config.json asks for.
[[nodiscard]] std::optional<int64_t> tokensOfPieces(const FileDocuments& found);
/// tokenizer.json of T5's kind.
[[nodiscard]] std::optional<int64_t> tokensOfUnigramJson(const FileDocuments& found);
/// tokenizer.json of byte pairs.
[[nodiscard]] std::optional<int64_t> tokensOfBytePairJson(const FileDocuments& found);
/// vocab.json, without the few tokens that other files add.
[[nodiscard]] std::optional<int64_t> tokensOfVocabulary(const FileDocuments& found);

}  // namespace lowtide::models
