#pragma once
// The vocabularies that come with Lowtide (resources/tokenizers), for text encoders whose files
// hold none. Torch-free.

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::models {

/// A published tokenizer that comes with Lowtide.
struct BuiltInTokenizer {
    const char* folder = nullptr;      ///< of resources/tokenizers
    int64_t tokens = 0;                ///< how many its files hold
    std::vector<const char*> files{};  ///< by the names that they were published under
};

/// Where such a file lies, compressed: "merges.txt" of the folder "clip".
[[nodiscard]] std::string builtInPath(const std::string& resourcesFolder,
                                      const char* folder,
                                      const char* file);

/// What was published in the compressed file at `path`. Error{NotFound} where it is missing and
/// Error{Corrupt} where it is damaged name it.
[[nodiscard]] std::string readBuiltIn(const std::string& path);

}  // namespace lowtide::models
