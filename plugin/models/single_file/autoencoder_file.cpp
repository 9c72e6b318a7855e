#include "plugin/models/single_file/autoencoder_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/constants_check.hpp"
#include "plugin/models/single_file/ldm_settings.hpp"

#include <filesystem>
#include <optional>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestAutoencoderSettings = kMiB;
constexpr std::string_view kPrefixes[] = {"", kLdmAutoencoder, "vae."};

WeightMap mapIn(const std::string& path, const std::string& name) {
    WeightFileHeader opened = openWeightFile(path);
    opened.map.what = name;
    for (const std::string_view prefix : kPrefixes) {
        if (opened.map.tensors.contains(std::string(prefix) + "decoder.conv_in.weight")) {
            return autoencoderMap(opened.map, prefix);
        }
    }
    std::vector<std::string> names;
    for (const auto& [tensor, place] : opened.map.tensors) {
        names.push_back(tensor);
    }
    throw Error(ErrorKind::Unsupported,
                name + " has no tensor decoder.conv_in.weight; its tensors are " +
                    (names.empty() ? "none" : listSome(names, 3)),
                "choose the file of an autoencoder",
                "vae");
}

}  // namespace

AutoencoderFile::AutoencoderFile(const std::string& path, const std::string& name)
    : weights_(mapIn(path, name)), files_(weights_.files) {
    readSettings(path, name);
}

void AutoencoderFile::readSettings(const std::string& path, const std::string& name) {
    settings_ = autoencoderSettings(viewOf(weights_));
    const fs::path config = fs::path(path).parent_path() / "config.json";
    std::error_code ignored;
    if (fs::is_regular_file(config, ignored)) {
        const files::InputFile file(config.string());
        const Json stated = parseJson(file.readAll(kLargestAutoencoderSettings), "config.json");
        if (stated.is_object() && stated.value("_class_name", Json()) == "AutoencoderKL") {
            settings_.update(stated);
            files_.push_back(stampOf(file));
        }
    }
    const BesideFile beside = readBeside(path);
    settings_ = withBeside(std::move(settings_), beside, "vae");
    if (beside.stamp) {
        files_.push_back(*beside.stamp);
    }
    checkAutoencoderConstants(settings_, name, beside);
}

}  // namespace lowtide::models
