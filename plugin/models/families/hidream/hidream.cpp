#include "plugin/models/families/family.hpp"
#include "plugin/models/families/hidream/hidream_components.hpp"
#include "plugin/models/families/hidream/hidream_model.hpp"

namespace lowtide::models {

namespace {

bool detectHiDream(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "HiDreamImagePipeline";
}

std::shared_ptr<const Model> openHiDream(Checkpoint& checkpoint) {
    return std::make_shared<const HiDreamModel>(checkpoint);
}

}  // namespace

const Family& hidream() {
    static const Family family{.name = "hidream",
                               .components = hidreamComponents(),
                               .detect = detectHiDream,
                               .open = openHiDream};
    return family;
}

}  // namespace lowtide::models
