#include "plugin/models/model_hashes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/hash_of_files.hpp"
#include "plugin/models/unchanged_weights.hpp"

namespace lowtide::models {

namespace {

constexpr size_t kShownDigits = 10;

std::string hashOf(const std::vector<memory::WeightFile>& files) {
    if (!areUnchanged(files)) {
        return {};
    }
    std::vector<std::string> paths;
    for (const memory::WeightFile& file : files) {
        paths.push_back(file.path);
    }
    return files::sha256OfFiles(paths).substr(0, kShownDigits);
}

}  // namespace

void ModelHashes::know(const memory::ComponentTree& tree) {
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(tree.weightsId(), tree.files);
}

std::string ModelHashes::of(const std::string& treeId) {
    const std::lock_guard lock(mutex_);
    const auto known = hashes_.find(treeId);
    if (known != hashes_.end()) {
        return known->second;
    }
    const auto files = files_.find(treeId);
    if (files == files_.end()) {
        return {};
    }
    try {
        const std::string hash = hashOf(files->second);
        hashes_.emplace(treeId, hash);
        return hash;
    } catch (const Error& error) {
        log(Level::Warning, "the picture gets no model hash: " + error.message());
        return {};
    }
}

}  // namespace lowtide::models
