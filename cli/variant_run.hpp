#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/host_api/runner.hpp"
#include "plugin/image/image_difference.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// Steps of one run by their decision.
struct StepCounts {
    int64_t full = 0;
    int64_t partial = 0;
    int64_t predicted = 0;
};

/// Latents of one sampling node, as a run's dump has them.
struct LatentSteps {
    std::vector<std::vector<float>> steps;
    std::vector<float> last;
};

/// How alike the directions of latents are, -1..1, 1 when they are equal.
struct LatentCosine {
    std::string node;  ///< as readLatentSteps
    /// After each call of the network; empty where the two took other numbers of calls.
    std::vector<double> steps;
    double last = 0;
};

/// How a run differs from the reference.
struct VariantComparison {
    std::vector<image::ImageDifference> images;  ///< one for each
    std::vector<LatentCosine> latents;
    std::string problem;  ///< why images cannot be compared; empty: they are
};

/// What one variant gave.
struct VariantRun {
    std::string name;
    std::vector<std::string> settings;
    Status status = Status::Failed;
    Json issues = Json::array();
    double milliseconds = 0;          ///< of a repetition, the fastest one
    double samplingMilliseconds = 0;  ///< of that repetition's nodes with a number of steps
    Bytes peak = 0;                   ///< held on the run's device in that repetition, at most
    std::optional<StepCounts> steps;  ///< where the report states them
    std::vector<std::string> files;   ///< images of the last repetition, as seen from the folder
    std::vector<Image8> images;
    std::map<std::string, LatentSteps> latents;
    VariantComparison difference;  ///< of the reference: empty
};

/// By the prefix of the node's keys: empty for the first node that samples, else its id. Errors of
/// files::readSafetensorsHeader.
[[nodiscard]] std::map<std::string, LatentSteps> readLatentSteps(const std::string& dumpPath);

/// Nodes that both have with latents of one size.
[[nodiscard]] std::vector<LatentCosine> latentCosines(
    const std::map<std::string, LatentSteps>& reference,
    const std::map<std::string, LatentSteps>& other);

[[nodiscard]] VariantComparison compared(const VariantRun& reference, const VariantRun& run);

/// The figures of several images as one: of all pixels, of the mean, and of the worst tile of
/// all.
[[nodiscard]] image::ImageDifference together(const std::vector<image::ImageDifference>& images);

/// The steps that a repetition of a report states, of all its nodes; empty where it states
/// none.
[[nodiscard]] std::optional<StepCounts> stepsOf(const Json& repetition);

}  // namespace lowtide::cli
