#include "plugin/models/model_part.hpp"

#include "plugin/memory/resolve_precision.hpp"
#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/unchanged_weights.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kRecentParts = 8;  ///< names and stamps of files

}  // namespace

ModelPart::ModelPart(const SplitPart& part, CheckpointPath path, const std::string& resourcesFolder)
    : part_(part),
      path_(std::move(path)),
      files_(openPart(path_, part.component, resourcesFolder)->files()) {}

std::shared_ptr<const ModelPart> ModelParts::open(const SplitPart& part,
                                                  const CheckpointPath& path) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& each) {
        return each->type() == part.type && each->path().path == path.path &&
               areUnchanged(each->files());
    });
    std::shared_ptr<const ModelPart> found;
    if (known != recent_.end()) {
        found = *known;
        recent_.erase(known);
    } else {
        found = std::make_shared<const ModelPart>(part, path, resourcesFolder_);
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
