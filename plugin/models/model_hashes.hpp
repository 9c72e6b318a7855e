#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/file_digests.hpp"
#include "plugin/memory/weight_file.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// Hashes of denoisers' files, read in the background. Thread-safe.
class ModelHashes {
public:
    explicit ModelHashes(std::shared_ptr<files::FileDigests> digests)
        : digests_(std::move(digests)) {}

    /// Tells which files belong to a tree.
    void know(const memory::ComponentTree& tree);
    /// Begins to read the files of a tree that is known.
    void begin(const std::string& treeId);
    /// SHA-256 of the file, of the digests of all where there are several: 64 hexadecimal digits.
    /// The tree must be known. Error{Corrupt} when a file changed since it was opened, what reading
    /// it gives, and Error{Cancelled}.
    [[nodiscard]] std::string digestOf(const std::string& treeId, const StopToken& stop);
    /// Its first ten digits, as A1111 shows them in pictures; empty when the tree is not known or a
    /// file changed or cannot be read. Error{Cancelled}.
    [[nodiscard]] std::string of(const std::string& treeId, const StopToken& stop);

private:
    /// Empty: not known.
    [[nodiscard]] std::vector<memory::WeightFile> filesOf(const std::string& treeId) const;

    const std::shared_ptr<files::FileDigests> digests_;
    mutable std::mutex mutex_;
    std::map<std::string, std::vector<memory::WeightFile>> files_;
    std::map<std::string, std::string> made_;
};

}  // namespace lowtide::models
