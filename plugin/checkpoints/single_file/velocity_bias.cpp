#include "plugin/checkpoints/single_file/velocity_bias.hpp"

#include "plugin/checkpoints/single_file/tensor_values.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace lowtide::models {

namespace {

constexpr std::string_view kBias = "output_blocks.11.1.transformer_blocks.0.norm1.bias";
constexpr double kLeastDeviation = 0.09;

double deviationOf(const std::vector<double>& values) {
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

std::optional<bool> biasLooksLikeVelocity(const WeightMap& file, std::string_view prefix) {
    const std::optional<std::vector<double>> values =
        readValues(file, std::string(prefix) + std::string(kBias));
    return values ? std::optional(deviationOf(*values) > kLeastDeviation) : std::nullopt;
}

}  // namespace lowtide::models
