#include "plugin/models/model_part.hpp"

#include "plugin/memory/resolve_precision.hpp"
#include "plugin/models/layouts/layout.hpp"

#include <utility>

namespace lowtide::models {

ModelPart::ModelPart(const SplitPart& part, CheckpointPath path, const std::string& resourcesFolder)
    : part_(part),
      path_(std::move(path)),
      files_(openPart(path_, part.component, resourcesFolder)->files()) {}

const memory::FamilyPrecision& ModelPart::precisions() const {
    static const memory::FamilyPrecision none;
    return none;
}

}  // namespace lowtide::models
