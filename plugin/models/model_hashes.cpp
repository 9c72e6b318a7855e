#include "plugin/models/model_hashes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/hash_of_files.hpp"
#include "plugin/models/unchanged_weights.hpp"

namespace lowtide::models {

namespace {

constexpr size_t kShownDigits = 10;

std::string digestOfFiles(const std::vector<memory::WeightFile>& files) {
    requireUnchanged(files, "the hash of the checkpoint cannot be made");
    std::vector<std::string> paths;
    for (const memory::WeightFile& file : files) {
        paths.push_back(file.path);
    }
    return files::sha256OfFiles(paths);
}

}  // namespace

void ModelHashes::know(const memory::ComponentTree& tree) {
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(tree.weightsId(), tree.files);
}

std::string ModelHashes::digestOf(const std::string& treeId) {
    const std::lock_guard lock(mutex_);
    return digest(treeId);
}

std::string ModelHashes::of(const std::string& treeId) {
    const std::lock_guard lock(mutex_);
    const auto files = files_.find(treeId);
    const bool isKnown = digests_.contains(treeId);
    if (!isKnown && (files == files_.end() || !areUnchanged(files->second))) {
        return {};
    }
    try {
        return digest(treeId).substr(0, kShownDigits);
    } catch (const Error& error) {
        log(Level::Warning, "the picture gets no model hash: " + error.message());
        return {};
    }
}

const std::string& ModelHashes::digest(const std::string& treeId) {
    const auto known = digests_.find(treeId);
    if (known != digests_.end()) {
        return known->second;
    }
    const auto files = files_.find(treeId);
    LOWTIDE_ASSERT(files != files_.end());
    return digests_.emplace(treeId, digestOfFiles(files->second)).first->second;
}

}  // namespace lowtide::models
