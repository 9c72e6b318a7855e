#include "plugin/checkpoints/model_part.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/memory/resolve_precision.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr size_t kRecentParts = 8;  ///< names and stamps of files

bool areSame(const std::vector<CheckpointPath>& paths, const std::vector<PlacedFile>& files) {
    return std::equal(
        paths.begin(), paths.end(), files.begin(), files.end(), [](const auto& a, const auto& b) {
            return a.path == b.path.path;
        });
}

}  // namespace

ModelPart::ModelPart(const SplitPart& part,
                     const std::vector<PlacedFile>& files,
                     const std::string& resourcesFolder)
    : part_(part) {
    for (const PlacedFile& file : files) {
        try {
            const std::unique_ptr<Checkpoint> opened =
                openPart(file.path, part.component, resourcesFolder);
            openNetwork(*opened, part.component);
            const std::vector<memory::WeightFile> own = opened->files();
            files_.insert(files_.end(), own.begin(), own.end());
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), file.parameter);
        }
        paths_.push_back(file.path);
    }
}

std::shared_ptr<const ModelPart> ModelParts::open(const SplitPart& part,
                                                  const std::vector<PlacedFile>& files) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& each) {
        return each->type() == part.type && areSame(each->paths(), files) &&
               areUnchanged(each->files());
    });
    std::shared_ptr<const ModelPart> found;
    if (known != recent_.end()) {
        found = *known;
        recent_.erase(known);
    } else {
        found = std::make_shared<const ModelPart>(part, files, resourcesFolder_);
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
