#pragma once

#include "plugin/memory/component_tree.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::models {

/// Hashes of denoisers' files, made when first asked for and kept: reading a file takes about a
/// second for each GB. Thread-safe.
class ModelHashes {
public:
    /// Tells which files belong to a tree.
    void know(const memory::ComponentTree& tree);
    /// SHA-256 of the file, of the digests of all where there are several: 64 hexadecimal digits.
    /// The tree must be known. Error{Corrupt} when a file changed since it was opened, and what
    /// reading it gives.
    [[nodiscard]] std::string digestOf(const std::string& treeId);
    /// Its first ten digits, as A1111 shows them in pictures; empty when the tree is not known or a
    /// file changed or cannot be read.
    [[nodiscard]] std::string of(const std::string& treeId);

private:
    const std::string& digest(const std::string& treeId);

    std::mutex mutex_;
    std::map<std::string, std::vector<memory::WeightFile>> files_;
    std::map<std::string, std::string> digests_;
};

}  // namespace lowtide::models
