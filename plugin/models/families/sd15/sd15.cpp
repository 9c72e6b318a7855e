#include "plugin/models/families/family.hpp"
#include "plugin/models/families/sd15/sd15_model.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

bool detect(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionPipeline",
                                                      "StableDiffusionImg2ImgPipeline",
                                                      "StableDiffusionInpaintPipeline",
                                                      "LatentConsistencyModelPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::shared_ptr<const Model> openSd15(Checkpoint& checkpoint) {
    return std::make_shared<const Sd15Model>(checkpoint);
}

}  // namespace

const Family& sd15() {
    static const Family family{.name = "sd15", .detect = detect, .open = openSd15};
    return family;
}

}  // namespace lowtide::models
