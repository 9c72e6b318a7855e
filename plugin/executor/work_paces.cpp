#include "plugin/executor/work_paces.hpp"

#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

/// Of the newest run; the rest is what was known before.
constexpr double kShareOfNewest = 0.5;
/// What is further off than this was disturbed, or too short to be measured.
constexpr double kSlowest = 1000;
constexpr double kFastest = 0.001;

const memory::PlanDevice* openedDevice(const memory::PlanRequest& request, const std::string& id) {
    const auto found = std::find_if(request.devices.begin(),
                                    request.devices.end(),
                                    [&](const auto& device) { return device.spec.id() == id; });
    return found == request.devices.end() ? nullptr : &*found;
}

/// Device and networks of a node; empty where it has none, or one of them is on a card that is
/// rehearsed or not there.
std::string keyOf(const memory::PlanRequest& request, const memory::NodeWork& node) {
    std::string key;
    for (const auto& tree : node.components) {
        const std::string device = node.deviceOf(*tree, request.device).id();
        const memory::PlanDevice* known = openedDevice(request, device);
        if (!known || known->traits.isRehearsal || !known->card.empty()) {
            return {};
        }
        key += device + " " + tree->id + "\n";
    }
    return key;
}

/// What the networks of a stage computed; where copies run on no lane of their own, without what
/// was predicted for reading weights.
Seconds computedIn(const memory::StageTraffic& measured, const memory::StagePlan& planned) {
    return measured.lanes.empty() ? measured.seconds - (planned.seconds - planned.compute)
                                  : measured.compute();
}

}  // namespace

void WorkPaces::apply(memory::PlanRequest& request) const {
    for (memory::NodeWork& node : request.nodes) {
        const auto known = paces_.find(keyOf(request, node));
        node.pace = known == paces_.end() ? 1 : known->second.ratio;
    }
}

void WorkPaces::learn(const memory::PlanRequest& request,
                      const memory::Plan& plan,
                      const memory::Traffic& traffic) {
    for (size_t place = 0; place < request.nodes.size(); ++place) {
        const memory::NodeWork& node = request.nodes[place];
        const memory::StagePlan& planned = plan.stages[place];
        const std::string key = keyOf(request, node);
        const auto measured =
            std::find_if(traffic.stages.rbegin(), traffic.stages.rend(), [&](const auto& stage) {
                return stage.node == node.node;
            });
        if (key.empty() || planned.compute <= 0 || measured == traffic.stages.rend()) {
            continue;
        }
        const double pace = node.pace * computedIn(*measured, planned) / planned.compute;
        if (pace < kFastest || pace > kSlowest) {
            continue;
        }
        put(key, pace);
    }
}

/// The one learned longest ago makes room.
void WorkPaces::put(const std::string& key, double ratio) {
    const auto [place, isNew] = paces_.try_emplace(key);
    Pace& pace = place->second;
    pace.ratio = isNew ? ratio : pace.ratio + kShareOfNewest * (ratio - pace.ratio);
    pace.learned = ++lessons_;
    if (paces_.size() > kMostKept) {
        paces_.erase(
            std::min_element(paces_.begin(), paces_.end(), [](const auto& a, const auto& b) {
                return a.second.learned < b.second.learned;
            }));
    }
}

}  // namespace lowtide::executor
