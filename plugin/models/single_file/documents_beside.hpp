#pragma once

#include "plugin/models/single_file/single_file.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Files that a tokenizer may lie in: `names`, in one of `folders` (from the folder of the weights,
/// "" for that one) that has one of `leading`.
struct DocumentPlaces {
    std::span<const char* const> folders;
    std::span<const char* const> names;
    std::span<const char* const> leading;
    std::string className;
    /// What a tokenizer.json of the right kind says somewhere: weights of several kinds share a
    /// folder.
    std::string_view marker;
};

/// Of the first folder whose tokenizer is of the right kind, or else of the first that has one; the
/// files are added to `stamps`. Without texts where no folder has one.
[[nodiscard]] FileDocuments documentsBeside(const std::string& weights,
                                            const DocumentPlaces& places,
                                            std::vector<memory::WeightFile>& stamps);

}  // namespace lowtide::models
