#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/flow_schedule.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/families/zimage/zimage_settings.hpp"

#include <utility>

namespace lowtide::models {

namespace {

double detectZImageDenoiser(const ModelSource& source) {
    return source.header && zimageNaming(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openZImageDenoiser(ModelSource source,
                                               const std::string& resourcesFolder) {
    const auto weights = [file = sharedHeader(source)] {
        return zimageMap(file->map, zimageNaming(file->map).value_or(NetworkNaming{}));
    };
    FileParts parts;
    const Json stated = configInFolder(source.path.path, "ZImageTransformer2DModel", parts.files);
    parts.pipeline = {{"_class_name", "ZImagePipeline"}};
    parts.networks["transformer"] = {.className = "ZImageTransformer2DModel",
                                     .settings =
                                         [weights, stated] {
                                             Json own = zimageSettings(weights());
                                             own.update(stated);
                                             return own;
                                         },
                                     .weights = weights};
    parts.scheduler = flowSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelZImageDenoiser(Checkpoint&) {
    return "Z-Image";
}

}  // namespace

/// The transformer of Z-Image alone, as ComfyUI keeps it in diffusion_models, or as GGUF.
const Layout& zimageFile() {
    static const Layout layout{.name = "zimage_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectZImageDenoiser,
                               .open = openZImageDenoiser,
                               .label = labelZImageDenoiser};
    return layout;
}

}  // namespace lowtide::models
