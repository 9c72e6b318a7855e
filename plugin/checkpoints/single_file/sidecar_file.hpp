#pragma once

#include "plugin/base/json.hpp"
#include "plugin/memory/component_parts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Settings that a user wrote for a file of weights, because no tensor states them:
/// "model.lowtide.json" next to "model.safetensors", with the parts of the diffusers layout as keys
/// ("unet", "vae", "text_encoder", "tokenizer", "scheduler", "model_index") and settings of their
/// config.json files as values. The layout of the file determines which parts there are.
struct SidecarFile {
    std::string name;  ///< "model.lowtide.json", whether it is there or not
    Json parts = Json::object();
    std::optional<memory::WeightFile> stamp;  ///< empty: it is not there
};

/// The path of the settings of a file of weights.
[[nodiscard]] std::string sidecarPath(const std::string& weights);

/// Reads them where they are. Error{Corrupt} for what is no object of objects.
[[nodiscard]] SidecarFile readSidecar(const std::string& weights);

/// Where the diffusers layout has the settings of a file of weights.
[[nodiscard]] std::string configPath(const std::string& weights);

/// The config.json in the folder of a file of weights, which is added to `files`. An empty object
/// where there is none, or none of the class. Error{Corrupt} for what is no JSON.
[[nodiscard]] Json configInFolder(const std::string& weights,
                                  std::string_view className,
                                  std::vector<memory::WeightFile>& files);

/// Statements as they stand in the file `name`. Errors as above.
[[nodiscard]] SidecarFile parseSidecar(std::string_view text, std::string name);

/// `settings` with those that the user wrote for `part` instead.
[[nodiscard]] Json withSidecar(Json settings, const SidecarFile& sidecar, const char* part);

}  // namespace lowtide::models
