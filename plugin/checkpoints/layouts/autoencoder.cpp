#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kPrefixes[] = {"", kLdmAutoencoder, "vae."};

std::optional<std::string_view> prefixIn(const WeightMap& file) {
    for (const std::string_view prefix : kPrefixes) {
        if (file.tensors.contains(std::string(prefix) + "decoder.conv_in.weight")) {
            return prefix;
        }
    }
    return std::nullopt;
}

double detectAutoencoder(const ModelSource& source) {
    return source.header && prefixIn(source.header->map) ? 0.4 : 0;
}

/// FLUX's autoencoder, whose latents have other numbers than those of Stable Diffusion: no tensor
/// tells them. Source: vae/config.json of FLUX.1 and HiDream-I1.
Json constantsOf(const WeightMap& file, std::string_view prefix) {
    constexpr int64_t kFluxChannels = 16;
    const std::string start(prefix);
    const auto first = file.tensors.find(start + "decoder.conv_in.weight");
    const bool isFlux = first != file.tensors.end() && first->second.shape.size() > 1 &&
                        first->second.shape[1] == kFluxChannels &&
                        !file.tensors.contains(start + "post_quant_conv.weight");
    return isFlux ? Json{{"scaling_factor", 0.3611}, {"shift_factor", 0.1159}} : Json::object();
}

std::unique_ptr<Checkpoint> openAutoencoderFile(ModelSource source,
                                                const std::string& resourcesFolder) {
    FileParts parts;
    const std::string_view prefix = prefixIn(source.header->map).value_or("");
    Json stated = constantsOf(source.header->map, prefix);
    stated.update(configInFolder(source.path.path, "AutoencoderKL", parts.files));
    parts.networks["vae"] = ldmAutoencoder(sharedHeader(source), prefix, std::move(stated));
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

/// An autoencoder alone, as people exchange them, in LDM's or diffusers' names.
const Layout& autoencoder() {
    static const Layout layout{
        .name = "autoencoder",
        .component = "vae",
        .kind = "autoencoder",
        .use =
            "choose a whole checkpoint in Load checkpoint, and this file as its "
            "autoencoder (vae); or, of HiDream-I1 and Z-Image, choose it in Load autoencoder",
        .detect = detectAutoencoder,
        .open = openAutoencoderFile};
    return layout;
}

}  // namespace lowtide::models
