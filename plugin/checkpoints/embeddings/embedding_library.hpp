#pragma once
// The embeddings that prompts may name. Torch-free.

#include "plugin/checkpoints/embeddings/embedding_file.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

using EmbeddingRef = std::shared_ptr<const EmbeddingFile>;

/// Embeddings that were opened, by their paths: the same file gives the same value, anew where it
/// changed. Thread-safe.
class EmbeddingCache {
public:
    /// Errors: those of openEmbeddingFile().
    [[nodiscard]] EmbeddingRef open(const std::string& path);

private:
    std::mutex mutex_;
    std::map<std::string, EmbeddingRef> known_;
};

/// The folders in which embeddings are looked for, those that are there, each once: of each place a
/// folder "embeddings" in it or beside it, and A1111's, which is beside "models". A place that is
/// called so is one itself.
[[nodiscard]] std::vector<std::string> embeddingFolders(std::span<const std::string> places);

/// The files of some folders and of the folders in them, as they were when they were listed; a
/// file is opened when a prompt names it.
class EmbeddingLibrary {
public:
    /// A folder that cannot be read has no files.
    EmbeddingLibrary(std::vector<std::string> folders, std::shared_ptr<EmbeddingCache> cache);

    /// What prompts may write as a word: the names of files without ending and folder, each once.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// The file that is called so: by its path in the folder, with its ending or without, or by its
    /// name, in this case or another; of several the first folder's, and .safetensors before .pt
    /// before .bin. Null: there is none. Errors: those of openEmbeddingFile().
    [[nodiscard]] EmbeddingRef find(std::string_view name) const;

    [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }

private:
    struct Entry {
        std::string relative;  ///< "styles/ink.pt"
        std::string path;
    };

    std::vector<std::string> folders_;
    std::shared_ptr<EmbeddingCache> cache_;
    std::vector<Entry> entries_;  ///< in the order in which they are taken
    std::vector<std::string> names_;
};

}  // namespace lowtide::models
