#pragma once
// Constructions of upscalers that files may have, and the one that is built, ESRGAN's.

#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/nn/component_source.hpp"

#include <memory>
#include <span>
#include <string>

namespace lowtide::models {

/// A construction of upscalers. Each is an entry of upscalerTypes().
struct UpscalerType {
    std::string name;  ///< as users know it: "ESRGAN"
    /// Whether a file with these tensors is one, by their names.
    bool (*detect)(const WeightMap& weights) = nullptr;
    /// Infers the settings from shapes; reads no weight. Errors name the file and the tensor.
    std::shared_ptr<const Upscaler> (*open)(const WeightMap& weights,
                                            const std::string& name) = nullptr;
};

/// Every construction that is built.
[[nodiscard]] std::span<const UpscalerType* const> upscalerTypes();

/// Opens one file, which users call `name`. Error{Unsupported} names the file, tensors that were
/// seen and what is built; and the errors of openWeightFile() and of the construction.
[[nodiscard]] std::shared_ptr<const Upscaler> openUpscaler(const std::string& path,
                                                           const std::string& name);

}  // namespace lowtide::models
