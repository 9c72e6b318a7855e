#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/ldm_parts.hpp"

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

std::unique_ptr<Checkpoint> openAutoencoderFile(ModelSource source,
                                                const std::string& resourcesFolder) {
    FileParts parts;
    Json stated = configInFolder(source.path.path, "AutoencoderKL", parts.files);
    parts.networks["vae"] = ldmAutoencoder(
        sharedHeader(source), prefixIn(source.header->map).value_or(""), std::move(stated));
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
            "autoencoder (vae)",
        .detect = detectAutoencoder,
        .open = openAutoencoderFile};
    return layout;
}

}  // namespace lowtide::models
