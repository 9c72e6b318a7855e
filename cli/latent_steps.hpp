#pragma once

#include <map>
#include <string>
#include <vector>

namespace lowtide::cli {

/// Latents of one sampling node, as a run's dump has them.
struct LatentSteps {
    std::vector<std::vector<float>> steps;
    std::vector<float> last;
};

/// By the prefix of the node's keys: empty for the first node that samples, else its id. Errors of
/// files::readSafetensorsHeader.
[[nodiscard]] std::map<std::string, LatentSteps> readLatentSteps(const std::string& dumpPath);

/// How alike the directions of latents are, -1..1, 1 when they are equal.
struct LatentCosine {
    std::string node;  ///< prefix as above
    /// After each call of the network; empty where the two took other numbers of calls.
    std::vector<double> steps;
    double last = 0;
};

/// Nodes that both have with latents of one size.
[[nodiscard]] std::vector<LatentCosine> latentCosines(
    const std::map<std::string, LatentSteps>& reference,
    const std::map<std::string, LatentSteps>& other);

}  // namespace lowtide::cli
