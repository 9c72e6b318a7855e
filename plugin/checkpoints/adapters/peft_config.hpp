#pragma once

#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What peft says of a component's layers beside their tensors.
struct PeftConfig {
    std::optional<double> alpha;
    std::optional<double> rank;
    std::vector<std::pair<std::string, double>> alphaPattern;  ///< by the end of a module's name
    std::vector<std::pair<std::string, double>> rankPattern;
    bool dividesByRoot = false;  ///< rslora: alpha / sqrt(rank)

    [[nodiscard]] std::optional<double> alphaOf(std::string_view module) const;
    /// As it says; tensors know better where they have one.
    [[nodiscard]] std::optional<double> rankOf(std::string_view module) const;
};

/// adapter_config.json. Error{Corrupt} names `what` and the key; Error{Unsupported} names a pattern
/// that is no plain name.
[[nodiscard]] PeftConfig readPeftConfig(const Json& config, const std::string& what);

/// "lora_adapter_metadata" of diffusers' files.
struct PeftMetadata {
    std::map<std::string, PeftConfig, std::less<>> configs;  ///< by component
    std::optional<PeftConfig> ofAll;   ///< of files of one network, whose keys name none
    std::vector<std::string> unknown;  ///< what else its keys begin with
};

/// One JSON object with keys such as "unet.lora_alpha"; components as adapter_key knows them. The
/// same errors.
[[nodiscard]] PeftMetadata readPeftMetadata(std::string_view text, const std::string& what);

}  // namespace lowtide::models
