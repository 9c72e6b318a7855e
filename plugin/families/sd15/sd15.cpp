#include "plugin/checkpoints/family.hpp"
#include "plugin/families/sd15/sd15_model.hpp"

#include <algorithm>

namespace lowtide::models {

const Layout& sd_ldm();

namespace {

bool detect(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionPipeline",
                                                      "StableDiffusionImg2ImgPipeline",
                                                      "StableDiffusionInpaintPipeline",
                                                      "LatentConsistencyModelPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::string labelSd15(Checkpoint& checkpoint) {
    constexpr int64_t kVersion2Width = 1024;
    constexpr int64_t kChannelsWithMask = 9;
    const char* file = "unet/config.json";
    const Json settings = checkpoint.readJson(file);
    const JsonReader unet(settings, checkpoint.name() + "/" + file);
    const auto widths = unet.integers("cross_attention_dim").value_or(std::vector<int64_t>{});
    const bool isVersion2 = !widths.empty() && widths.front() == kVersion2Width;
    const bool fillsMasks = unet.integer("in_channels") == kChannelsWithMask;
    return std::string(isVersion2 ? "SD 2.x" : "SD 1.x") + (fillsMasks ? " inpainting" : "");
}

std::shared_ptr<const Model> openSd15(Checkpoint& checkpoint) {
    return std::make_shared<const Sd15Model>(checkpoint);
}

}  // namespace

const Family& sd15() {
    static const Family family{.name = "sd15",
                               .components = sd15Components(),
                               .detect = detect,
                               .open = openSd15,
                               .label = labelSd15,
                               .layouts = {&sd_ldm()},
                               .adapters = {.contexts = {{768, "SD 1.x"}, {1024, "SD 2.x"}},
                                            .texts = {{768, "the text encoder of SD 1.x and SDXL"},
                                                      {1024, "the text encoder of SD 2.x"}}}};
    return family;
}

}  // namespace lowtide::models
