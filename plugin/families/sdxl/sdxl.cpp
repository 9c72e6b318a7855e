#include "plugin/checkpoints/family.hpp"
#include "plugin/families/sdxl/sdxl_components.hpp"
#include "plugin/families/sdxl/sdxl_model.hpp"

#include <algorithm>

namespace lowtide::models {

const Layout& sdxl_ldm();

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
        .name = "sdxl",
        .components = sdxlComponents(),
        .detect = detectSdxl,
        .open = openSdxl,
        .layouts = {&sdxl_ldm()},
        .adapters = {.contexts = {{2048, "SDXL"}, {1280, "the SDXL refiner"}},
                     .texts = {{1280, "the second text encoder of SDXL"}}}};
    return family;
}

}  // namespace lowtide::models
