#include "plugin/models/model_hashes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/models/unchanged_weights.hpp"

namespace lowtide::models {

namespace {

constexpr size_t kShownDigits = 10;

std::vector<std::string> pathsOf(const std::vector<memory::WeightFile>& files) {
    std::vector<std::string> paths;
    for (const memory::WeightFile& file : files) {
        paths.push_back(file.path);
    }
    return paths;
}

}  // namespace

void ModelHashes::know(const memory::ComponentTree& tree) {
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(tree.networkId(), tree.networkFiles());
}

std::vector<memory::WeightFile> ModelHashes::filesOf(const std::string& treeId) const {
    const std::lock_guard lock(mutex_);
    const auto files = files_.find(treeId);
    return files == files_.end() ? std::vector<memory::WeightFile>() : files->second;
}

void ModelHashes::begin(const std::string& treeId) {
    digests_->begin(pathsOf(filesOf(treeId)));
}

std::string ModelHashes::digestOf(const std::string& treeId, const StopToken& stop) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto made = made_.find(treeId); made != made_.end()) {
            return made->second;
        }
    }
    const std::vector<memory::WeightFile> files = filesOf(treeId);
    LOWTIDE_ASSERT(!files.empty());
    requireUnchanged(files, "the hash of the checkpoint cannot be made");
    std::string digest = digests_->of(pathsOf(files), stop);
    const std::lock_guard lock(mutex_);
    return made_.insert_or_assign(treeId, std::move(digest)).first->second;
}

std::string ModelHashes::of(const std::string& treeId, const StopToken& stop) {
    const std::vector<memory::WeightFile> files = filesOf(treeId);
    const bool isMade = [&] {
        const std::lock_guard lock(mutex_);
        return made_.contains(treeId);
    }();
    if (!isMade && (files.empty() || !areUnchanged(files))) {
        return {};
    }
    try {
        return digestOf(treeId, stop).substr(0, kShownDigits);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) {
            throw;
        }
        log(Level::Warning, "the picture gets no model hash: " + error.message());
        return {};
    }
}

}  // namespace lowtide::models
