#pragma once

#include "plugin/memory/component_tree.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace lowtide::models {

/// Hashes of denoisers' files as A1111 shows them, made when first asked for and kept. Thread-safe.
class ModelHashes {
public:
    /// Tells which files belong to a tree.
    void know(const memory::ComponentTree& tree);
    /// First ten digits of the file's SHA-256 (of the digests of all, where there are several);
    /// empty when the tree is not known or a file changed or cannot be read.
    [[nodiscard]] std::string of(const std::string& treeId);

private:
    std::mutex mutex_;
    std::map<std::string, std::vector<memory::WeightFile>> files_;
    std::map<std::string, std::string> hashes_;
};

}  // namespace lowtide::models
