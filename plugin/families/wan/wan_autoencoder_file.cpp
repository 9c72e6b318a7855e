#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/families/wan/wan_names.hpp"
#include "plugin/families/wan/wan_settings.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kAxesOfVideo = 5;

bool hasWanNames(const WeightMap& file) {
    return file.tensors.contains("decoder.middle.0.residual.0.gamma");
}

/// In diffusers' names, which autoencoders of pictures have too.
bool hasVideoConvolutions(const WeightMap& file) {
    const auto input = file.tensors.find("decoder.conv_in.weight");
    return input != file.tensors.end() && input->second.shape.size() == kAxesOfVideo &&
           file.tensors.contains("decoder.mid_block.resnets.0.norm1.gamma");
}

double detectWanAutoencoder(const ModelSource& source) {
    const bool isThere = source.header && (hasWanNames(source.header->map) ||
                                           hasVideoConvolutions(source.header->map));
    return isThere ? 0.5 : 0;
}

/// Its levels are blocks with ways around them.
void refuseLaterAutoencoder(const ModelSource& source) {
    const WeightMap& file = source.header->map;
    if (hasUnder(file, "encoder.downsamples.0.downsamples.") ||
        hasUnder(file, "encoder.down_blocks.0.resnets.")) {
        throw Error(ErrorKind::Unsupported,
                    source.path.name + " is the autoencoder of WAN 2.2 5B, which is not built",
                    "choose the autoencoder of WAN 2.1");
    }
}

WeightMap wanAutoencoderMap(const WeightMap& file) {
    return hasWanNames(file)
               ? wholeMap(file,
                          [layers = wanAutoencoderLayers(file)](std::string_view name) {
                              return wanAutoencoderName(name, layers);
                          })
               : wholeMap(file, [](std::string_view name) { return std::string(name); });
}

std::unique_ptr<Checkpoint> openWanAutoencoderFile(ModelSource source,
                                                   const std::string& resourcesFolder) {
    refuseLaterAutoencoder(source);
    const SharedHeader file = sharedHeader(source);
    FileParts parts;
    const Json stated = configInFolder(source.path.path, "AutoencoderKLWan", parts.files);
    parts.networks["vae"] = {.className = "AutoencoderKLWan",
                             .settings =
                                 [file, stated] {
                                     const WeightMap map = wanAutoencoderMap(file->map);
                                     Json settings = wanAutoencoderSettings(viewOf(map));
                                     settings.update(stated);
                                     return settings;
                                 },
                             .weights = [file] { return wanAutoencoderMap(file->map); }};
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelWanAutoencoder(Checkpoint&) {
    return "WAN 2.1";
}

}  // namespace

/// The autoencoder of WAN alone, in its own names (Wan2.1_VAE.pth, wan_2.1_vae) or diffusers'.
const Layout& wanAutoencoderFile() {
    static const Layout layout{.name = "wan_autoencoder",
                               .component = "vae",
                               .kind = "autoencoder",
                               .use = "choose it in Load autoencoder",
                               .detect = detectWanAutoencoder,
                               .open = openWanAutoencoderFile,
                               .label = labelWanAutoencoder};
    return layout;
}

}  // namespace lowtide::models
