#pragma once

#include "plugin/models/single_file/single_file.hpp"

#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// Files that a tokenizer may lie in, `names`, in the first of `folders` (from the folder of the
/// weights, "" for that one) that has one of `leading`. They are added to `stamps`. Without texts
/// where no folder has one.
struct DocumentPlaces {
    std::span<const char* const> folders;
    std::span<const char* const> names;
    std::span<const char* const> leading;
    std::string className;
};

[[nodiscard]] FileDocuments documentsBeside(const std::string& weights,
                                            const DocumentPlaces& places,
                                            std::vector<memory::WeightFile>& stamps);

}  // namespace lowtide::models
