#include "plugin/models/families/family.hpp"
#include "plugin/models/families/sd15/sd15_model.hpp"

namespace lowtide::models {

namespace {

bool detect(const CheckpointFolder& folder) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionPipeline",
                                                      "StableDiffusionImg2ImgPipeline",
                                                      "LatentConsistencyModelPipeline"};
    const std::string seen = folder.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::shared_ptr<const Model> open(CheckpointFolder& folder) {
    return std::make_shared<const Sd15Model>(folder);
}

}  // namespace

const Family& sd15() {
    static const Family family{.name = "sd15", .detect = detect, .open = open};
    return family;
}

}  // namespace lowtide::models
