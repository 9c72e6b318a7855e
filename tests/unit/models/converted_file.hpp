#pragma once

#include "plugin/checkpoints/convert/conversion.hpp"
#include "plugin/checkpoints/weight_file.hpp"

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::testing {

/// A tensor as the engine reads it, decoded to f32.
struct ReadTensor {
    Shape shape;
    std::string storage;  ///< its type, or its encoding: "F16", "q4_k"
    std::vector<float> numbers;
};

using ReadTensors = std::map<std::string, ReadTensor>;

/// Every tensor of a file. Throws lowtide::Error.
[[nodiscard]] ReadTensors readWeights(const std::string& path);

/// Converts without being asked whether to go on. `free`: what the disk reports; nothing asks it.
/// Throws lowtide::Error.
models::Conversion converted(const QString& checkpoint,
                             const std::string& storage,
                             const QString& out,
                             std::optional<Bytes> free = std::nullopt);

}  // namespace lowtide::testing
