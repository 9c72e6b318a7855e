#pragma once
// A pipeline of three stages to plan for.

#include "plugin/memory/plan.hpp"
#include "tests/unit/memory/trees.hpp"

#include <stdexcept>

namespace lowtide::memory::plan_bench {

inline constexpr int64_t kEncoder = 128 * 2;
inline constexpr int64_t kDenoiser = 128 * 10;
inline constexpr int64_t kDecoder = 128 * 3;
inline constexpr Bytes kCapacity = 1 << 20;
inline constexpr qint64 kPlenty = kCapacity;

/// encode -> denoise -> decode on a card that copies every weight.
[[nodiscard]] inline PlanRequest pipeline(const std::string& encode,
                                          const std::string& denoise,
                                          const std::string& decode) {
    PlanRequest request;
    const auto layers = std::vector<int64_t>(10, 128);
    request.nodes = {{"encode", parsePolicy(encode), {testing::tree("text_encoder", {kEncoder})}},
                     {"denoise", parsePolicy(denoise), {testing::tree("denoiser", layers)}},
                     {"decode", parsePolicy(decode), {testing::tree("autoencoder", {kDecoder})}}};
    ComponentWork work{.tree = request.nodes[1].components[0], .forwards = 20};
    for (LeafId leaf = 0; leaf < 10; ++leaf) {
        work.forward.push_back({leaf, 1e6});
    }
    request.nodes[1].work.components = {work};
    request.device = parseDeviceSpec("fake");
    request.devices = {{.spec = parseDeviceSpec("fake"),
                        .traits = {.usesWeightsInPlace = false, .capacity = kCapacity},
                        .profile = {.copyBytesPerSecond = 1e6, .flopsPerSecond = 1e12}},
                       {.spec = parseDeviceSpec("cpu"),
                        .traits = {.usesWeightsInPlace = true, .capacity = kCapacity},
                        .profile = estimatedProfile("cpu")}};
    return request;
}

[[nodiscard]] inline Plan planOf(const PlanRequest& request) {
    const auto answer = makePlan(request);
    if (const auto* refusal = std::get_if<Infeasible>(&answer)) {
        throw std::runtime_error(refusal->node + ": " + refusal->reason.str());
    }
    return std::get<Plan>(answer);
}

[[nodiscard]] inline const StageBytes& onFake(const Plan& plan, size_t stage) {
    return plan.stages.at(stage).bytes.at(0);
}

}  // namespace lowtide::memory::plan_bench
