#pragma once

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
    /// such file says.
    std::optional<int64_t> (*tokens)(const FileDocuments& found) = nullptr;
};

/// What a text encoder needs of a tokenizer.
struct TokenizerNeed {
    std::string className;
    std::span<const TokenizerForm> forms;     ///< of one folder, the better one first
    std::span<const char* const> settings{};  ///< files that come along
    int64_t rows = 0;                         ///< of the embedding
    std::string remedy;                       ///< where no tokenizer fits
};

/// The tokenizer that lies beside a file of weights: in its folder, a folder of the diffusers
/// layout or one of ComfyUI or WAN next to it. Of several the first that fits the rows; its files
/// are added to `stamps`. Where none of several fits, reading it is Error{NotFound} that says what
/// each has. Without files where no folder has one.
[[nodiscard]] FileDocuments tokenizerBeside(const std::string& weights,
                                            const TokenizerNeed& need,
                                            std::vector<memory::WeightFile>& stamps);

}  // namespace lowtide::models
