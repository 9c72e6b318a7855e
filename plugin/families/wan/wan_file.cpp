#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/families/wan/wan_names.hpp"
#include "plugin/families/wan/wan_settings.hpp"

#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

using NameInFile = std::function<std::string(std::string_view)>;

/// How our names stand in the file. Empty: it has no such denoiser.
NameInFile namesOfWan(const WeightMap& file) {
    const std::optional<NetworkNaming> naming = wanNaming(file);
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
    FileParts parts;
    const Json stated = configInFolder(source.path.path, "WanTransformer3DModel", parts.files);
    const auto settings = [file, stated] {
        Json own = wanDenoiserSettings(TensorView(file->map, namesOfWan(file->map)));
        own.update(stated);
        return own;
    };
    parts.pipeline = {{"_class_name", pipelineOf(settings())}};
    parts.networks["transformer"] = {
        .className = "WanTransformer3DModel",
        .settings = settings,
        .weights = [file] { return wholeMap(file->map, namesOfWan(file->map)); },
        .check = checkWanHeads};
    parts.scheduler = wanSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

bool startsWithPicture(Checkpoint& opened) {
    return opened.pipelineClass() != "WanPipeline";
}

/// Those of 2.1 that begin with a picture see it, too.
bool isPictureOf22(Checkpoint& opened) {
    return startsWithPicture(opened) &&
           opened.readJson("transformer/config.json").value("image_dim", Json()).is_null();
}

std::string labelWanDenoiser(Checkpoint& opened) {
    const std::optional<bool> isHigh = isHighNoise(opened.name());
    const std::string noise = !isHigh ? "" : *isHigh ? ", high noise" : ", low noise";
    const std::string version = isPictureOf22(opened) || isHigh ? "WAN 2.2 "
                                : startsWithPicture(opened)     ? "WAN 2.1 "
                                                                : "WAN ";  // 2.2 looks like 2.1
    return version + (startsWithPicture(opened) ? "image to video" : "text to video") + noise;
}

std::string otherWanDenoiser(Checkpoint& opened) {
    const std::optional<bool> isHigh = isHighNoise(opened.name());
    return isHigh                  ? (*isHigh ? "the low-noise model" : "the high-noise model")
           : isPictureOf22(opened) ? "the other of its two models (high noise, low noise)"
                                   : "";
}

}  // namespace

/// The transformer of WAN alone, as ComfyUI keeps it in diffusion_models.
const Layout& wanFile() {
    static const Layout layout{.name = "wan_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectWanDenoiser,
                               .open = openWanDenoiser,
                               .label = labelWanDenoiser,
                               .other = otherWanDenoiser};
    return layout;
}

}  // namespace lowtide::models
