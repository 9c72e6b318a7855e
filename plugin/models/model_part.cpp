#include "plugin/models/model_part.hpp"

#include "plugin/memory/resolve_precision.hpp"
#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/unchanged_weights.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kRecentParts = 8;  ///< names and stamps of files

bool areSame(const std::vector<CheckpointPath>& some, const std::vector<CheckpointPath>& others) {
    return std::equal(
        some.begin(), some.end(), others.begin(), others.end(), [](const auto& a, const auto& b) {
            return a.path == b.path;
        });
}

}  // namespace

ModelPart::ModelPart(const SplitPart& part,
                     std::vector<CheckpointPath> paths,
                     const std::string& resourcesFolder)
    : part_(part), paths_(std::move(paths)) {
    for (const CheckpointPath& path : paths_) {
        const std::vector<memory::WeightFile> own =
            openPart(path, part.component, resourcesFolder)->files();
        files_.insert(files_.end(), own.begin(), own.end());
    }
}

std::shared_ptr<const ModelPart> ModelParts::open(const SplitPart& part,
                                                  const std::vector<CheckpointPath>& paths) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& each) {
        return each->type() == part.type && areSame(each->paths(), paths) &&
               areUnchanged(each->files());
    });
    std::shared_ptr<const ModelPart> found;
    if (known != recent_.end()) {
        found = *known;
        recent_.erase(known);
    } else {
        found = std::make_shared<const ModelPart>(part, paths, resourcesFolder_);
    }
    recent_.push_front(found);
    recent_.resize(std::min(recent_.size(), kRecentParts));
    return found;
}

const memory::FamilyPrecision& ModelPart::precisions() const {
    static const memory::FamilyPrecision none;
    return none;
}

}  // namespace lowtide::models
