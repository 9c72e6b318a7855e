#pragma once
// An autoencoder in a file of its own, as people exchange them. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/blocks/weight_file.hpp"
#include "plugin/models/single_file/beside_file.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// A file of autoencoder weights (.safetensors, .ckpt, .pt) in LDM's or diffusers' names, or a
/// whole checkpoint, of which the autoencoder is taken. What shapes do not tell comes from the file
/// beside it (BesideFile, "vae") or from a config.json of an AutoencoderKL in its folder.
class AutoencoderFile {
public:
    /// Error{Unsupported} says what was seen in a file without an autoencoder.
    AutoencoderFile(const std::string& path, const std::string& name);

    /// As vae/config.json. Error{Unsupported} when the norm groups must be stated.
    [[nodiscard]] const Json& settings() const { return settings_; }

    [[nodiscard]] const WeightMap& weights() const { return weights_; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const { return files_; }

private:
    void readSettings(const std::string& path, const std::string& name);

    WeightMap weights_;
    Json settings_;
    std::vector<memory::WeightFile> files_;
};

}  // namespace lowtide::models
