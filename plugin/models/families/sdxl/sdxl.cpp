#include "plugin/models/families/family.hpp"
#include "plugin/models/families/sdxl/sdxl_components.hpp"
#include "plugin/models/families/sdxl/sdxl_model.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

bool detectSdxl(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionXLPipeline",
                                                      "StableDiffusionXLImg2ImgPipeline",
                                                      "StableDiffusionXLInpaintPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::shared_ptr<const Model> openSdxl(Checkpoint& checkpoint) {
    return std::make_shared<const SdxlModel>(checkpoint);
}

}  // namespace

const Family& sdxl() {
    static const Family family{
        .name = "sdxl", .components = sdxlComponents(), .detect = detectSdxl, .open = openSdxl};
    return family;
}

}  // namespace lowtide::models
