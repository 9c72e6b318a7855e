#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// What is known of how far lossy choices (precisions, step caches) take checkpoints from their
/// exact predictions, by the hash of their files. Plugin::extension(kSensitivities) gives it once
/// the plugin was started. Any thread.
class Sensitivities {
public:
    virtual ~Sensitivities() = default;
    /// Of the network that `node` runs in the graph: {"weights": the hash of its files, "pass": a
    /// key of all that decides about the node's result}. Reads the files whole. Invalid when the
    /// graph is.
    virtual Status identify(std::string_view graph,
                            std::string_view options,
                            std::string_view node,
                            std::string& result) noexcept = 0;
    /// What is kept of those weights: {"sensitive_from": the mean error from which "class" is
    /// "sensitive" and not "tolerant", "sensitivities": [{"setting", "types", "pass", "error",
    /// "worst", "class", "measured_on"}]}. Invalid when the file cannot be read.
    virtual Status find(std::string_view weights, std::string& result) noexcept = 0;
    /// Keeps {"weights", "setting", "types", "pass", "error", "worst"}; an error of null was not
    /// finite. What is kept and cannot be read is replaced.
    virtual Status keep(std::string_view measured, std::string& result) noexcept = 0;
};

inline constexpr const char* kSensitivities = "lowtide.sensitivities/1";

}  // namespace lowtide
