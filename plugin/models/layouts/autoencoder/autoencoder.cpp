#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/ldm_parts.hpp"

#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestAutoencoderSettings = kMiB;
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

/// A config.json of an AutoencoderKL in the file's folder, and which file that is.
Json statedInFolder(const std::string& path, std::vector<memory::WeightFile>& files) {
    const fs::path config = fs::path(path).parent_path() / "config.json";
    std::error_code ignored;
    if (!fs::is_regular_file(config, ignored)) {
        return Json::object();
    }
    const files::InputFile file(config.string());
    Json stated = parseJson(file.readAll(kLargestAutoencoderSettings), "config.json");
    if (!stated.is_object() || stated.value("_class_name", Json()) != "AutoencoderKL") {
        return Json::object();
    }
    files.push_back(stampOf(file));
    return stated;
}

std::unique_ptr<Checkpoint> openAutoencoderFile(ModelSource source,
                                                const std::string& resourcesFolder) {
    FileParts parts;
    Json stated = statedInFolder(source.path.path, parts.files);
    parts.networks["vae"] = ldmAutoencoder(
        sharedHeader(source), prefixIn(source.header->map).value_or(""), std::move(stated));
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

/// An autoencoder alone, as people exchange them, in LDM's or diffusers' names.
const Layout& autoencoder() {
    static const Layout layout{.name = "autoencoder",
                               .isWhole = false,
                               .detect = detectAutoencoder,
                               .open = openAutoencoderFile};
    return layout;
}

}  // namespace lowtide::models
