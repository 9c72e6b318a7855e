#pragma once
// A pipeline of three stages to plan for, and a node of two networks that run in turn.

#include "plugin/memory/plan.hpp"
#include "tests/unit/memory/trees.hpp"

#include <numeric>
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

inline constexpr int64_t kSteps = 20;

[[nodiscard]] inline ComponentWork workOver(const std::shared_ptr<const ComponentTree>& tree,
                                            int64_t forwards,
                                            double flops) {
    ComponentWork work{.tree = tree, .forwards = forwards};
    for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
        work.forward.push_back({leaf, flops});
    }
    return work;
}

/// Leaves of a network that narrows and widens again.
[[nodiscard]] inline std::vector<int64_t> unevenLeaves(size_t count) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < count; ++i) {
        sizes.push_back(128 * static_cast<int64_t>(1 + (i * 7) % 5 + (i > count / 3 ? 4 : 0)));
    }
    return sizes;
}

/// A node of two networks; the second runs before the first in each of its steps.
[[nodiscard]] inline PlanRequest controlled(const std::string& policy,
                                            const std::vector<int64_t>& denoiser,
                                            const std::vector<int64_t>& control,
                                            int64_t controlled = kSteps) {
    PlanRequest request = pipeline("model", policy, "model");
    NodeWork& node = request.nodes[1];
    node.components = {testing::tree("denoiser", denoiser), testing::tree("controlnet", control)};
    node.work.components = {workOver(node.components[0], kSteps, 1e8),
                            workOver(node.components[1], controlled, 1e8)};
    for (int64_t step = 0; step < kSteps; ++step) {
        if (step < controlled) {
            node.work.bursts.push_back({1, 1});
        }
        node.work.bursts.push_back({0, 1});
    }
    return request;
}

[[nodiscard]] inline Bytes bytesOf(const std::vector<int64_t>& leaves) {
    return 4 * std::accumulate(leaves.begin(), leaves.end(), int64_t{0});
}

}  // namespace lowtide::memory::plan_bench
