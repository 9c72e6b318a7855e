#include "plugin/checkpoints/model_hashes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/log.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/memory/component_tree.hpp"

#include <span>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kTreeDigits = 10;
constexpr size_t kAdapterDigits = 12;
constexpr size_t kControlDigits = 8;

}  // namespace

std::string hashIdOf(const memory::WeightFile& file, FileHash hash) {
    const std::string of = fingerprintOf(std::span(&file, 1));
    return std::string(kHashId) + sha256Hex(of + (hash == FileHash::Adapter ? "a" : "c"));
}

std::vector<std::string> ModelHashes::Hashed::paths() const {
    std::vector<std::string> paths;
    for (const memory::WeightFile& file : files) {
        paths.push_back(file.path);
    }
    return paths;
}

void ModelHashes::know(const memory::ComponentTree& tree) {
    const std::lock_guard lock(mutex_);
    hashed_.insert_or_assign(tree.networkId(),
                             Hashed{.files = tree.networkFiles(), .shownDigits = kTreeDigits});
}

void ModelHashes::know(const memory::WeightFile& file, FileHash hash) {
    const bool isAdapter = hash == FileHash::Adapter;
    const std::lock_guard lock(mutex_);
    hashed_.insert_or_assign(
        hashIdOf(file, hash),
        Hashed{.files = {file},
               .part = isAdapter ? files::DigestedPart::Tensors : files::DigestedPart::Sample,
               .shownDigits = isAdapter ? kAdapterDigits : kControlDigits});
}

ModelHashes::Hashed ModelHashes::hashed(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto found = hashed_.find(id);
    return found == hashed_.end() ? Hashed() : found->second;
}

void ModelHashes::begin(const std::string& id) {
    const Hashed meant = hashed(id);
    digests_->begin(meant.paths(), meant.part);
}

std::string ModelHashes::digestOf(const std::string& id, const StopToken& stop) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto made = made_.find(id); made != made_.end()) {
            return made->second;
        }
    }
    const Hashed meant = hashed(id);
    LOWTIDE_ASSERT(!meant.files.empty());
    requireUnchanged(meant.files, message("the hash of a file cannot be made"));
    std::string digest = digests_->of(meant.paths(), stop, meant.part);
    const std::lock_guard lock(mutex_);
    return made_.insert_or_assign(id, std::move(digest)).first->second;
}

std::string ModelHashes::of(const std::string& id, const StopToken& stop) {
    const Hashed meant = hashed(id);
    const bool isMade = [&] {
        const std::lock_guard lock(mutex_);
        return made_.contains(id);
    }();
    if (meant.files.empty() || (!isMade && !areUnchanged(meant.files))) {
        return {};
    }
    try {
        return digestOf(id, stop).substr(0, meant.shownDigits);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) {
            throw;
        }
        log(Level::Warning, "the image lacks a hash: " + error.message().str());
        return {};
    }
}

}  // namespace lowtide::models
