#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/ldm_parts.hpp"
#include "plugin/models/single_file/wan_names.hpp"
#include "plugin/models/single_file/wan_settings.hpp"

#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

using NameInFile = std::function<std::string(std::string_view)>;

/// How our names stand in the file. Empty: it has no such denoiser.
NameInFile namesOfWan(const WeightMap& file) {
    const std::optional<WanNaming> naming = wanNaming(file);
    if (!naming) {
        return {};
    }
    return [naming = *naming](std::string_view name) {
        return naming.isOwn ? naming.prefix + wanDenoiserName(name) : std::string(name);
    };
}

double detectWanDenoiser(const ModelSource& source) {
    return source.header && namesOfWan(source.header->map) ? 0.5 : 0;
}

/// It takes latents alone, or a mask and the latents of a video that begins with a picture too.
const char* pipelineOf(const Json& settings) {
    return settings.at("in_channels") == settings.at("out_channels") ? "WanPipeline"
                                                                     : "WanImageToVideoPipeline";
}

std::unique_ptr<Checkpoint> openWanDenoiser(ModelSource source,
                                            const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    const auto settings = [file] {
        return wanDenoiserSettings(TensorView(file->map, namesOfWan(file->map)));
    };
    FileParts parts;
    parts.pipeline = {{"_class_name", pipelineOf(settings())}};
    parts.networks["transformer"] = {
        .className = "WanTransformer3DModel",
        .settings = settings,
        .weights = [file] { return wholeMap(file->map, namesOfWan(file->map)); },
        .check = checkWanHeads};
    parts.scheduler = wanSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelWanDenoiser(Checkpoint& opened) {
    if (opened.pipelineClass() == "WanPipeline") {
        return "WAN text to video";  // the experts of 2.2 look like the denoiser of 2.1
    }
    return opened.readJson("transformer/config.json").contains("image_dim")
               ? "WAN 2.1 image to video"
               : "WAN 2.2 image to video, one of two experts";
}

}  // namespace

/// The transformer of WAN alone, as ComfyUI keeps it in diffusion_models.
const Layout& wan_denoiser() {
    static const Layout layout{.name = "wan_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectWanDenoiser,
                               .open = openWanDenoiser,
                               .label = labelWanDenoiser};
    return layout;
}

}  // namespace lowtide::models
