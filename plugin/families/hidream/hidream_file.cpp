#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/flow_schedule.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/families/hidream/hidream_settings.hpp"

#include <utility>

namespace lowtide::models {

namespace {

double detectHiDreamDenoiser(const ModelSource& source) {
    return source.header && hidreamNaming(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openHiDreamDenoiser(ModelSource source,
                                                const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    const auto inFile = [prefix = hidreamNaming(file->map).value_or(NetworkNaming{}).prefix](
                            std::string_view name) { return prefix + std::string(name); };
    FileParts parts;
    const Json stated =
        configInFolder(source.path.path, "HiDreamImageTransformer2DModel", parts.files);
    parts.pipeline = {{"_class_name", "HiDreamImagePipeline"}};
    parts.networks["transformer"] = {
        .className = "HiDreamImageTransformer2DModel",
        .settings =
            [file, inFile, stated] {
                Json own = hidreamSettings(TensorView(file->map, inFile));
                own.update(stated);
                return own;
            },
        .weights = [file, inFile] { return wholeMap(file->map, inFile); },
        .check = checkHiDreamHeads};
    parts.scheduler = flowSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelHiDreamDenoiser(Checkpoint&) {
    return "HiDream-I1";
}

}  // namespace

/// The transformer of HiDream-I1 alone, as ComfyUI keeps it in diffusion_models, or as GGUF.
const Layout& hidreamFile() {
    static const Layout layout{.name = "hidream_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectHiDreamDenoiser,
                               .open = openHiDreamDenoiser,
                               .label = labelHiDreamDenoiser};
    return layout;
}

}  // namespace lowtide::models
