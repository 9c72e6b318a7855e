#include "plugin/memory/plan.hpp"

#include "plugin/memory/plan_clearing.hpp"
#include "plugin/memory/plan_refusal.hpp"
#include "plugin/memory/plan_sizer.hpp"
#include "plugin/memory/plan_stays.hpp"
#include "plugin/memory/plan_times.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::memory {

namespace {

Plan finished(Sizer& sizer, const Sizer& smallest) {
    sizer.takeMinimumsOf(smallest);
    sizer.chooseReplays();
    sizer.pin();
    sizer.predictTimes();
    return sizer.take();
}

/// Nodes of `nodes` that take longer in `plan` than in `other`.
std::vector<NodeIndex> slowerNodes(const Plan& plan,
                                   const Plan& other,
                                   const std::set<NodeIndex>& nodes) {
    std::vector<NodeIndex> slower;
    for (const NodeIndex node : nodes) {
        if (plan.stages[node].seconds > other.stages[node].seconds) {
            slower.push_back(node);
        }
    }
    return slower;
}

/// `turns` is a plan that fits in which components of `nodes` take turns. Where they fit beside
/// each other, and that is no slower, they live together.
Plan livingTogether(const PlanRequest& request,
                    Plan turns,
                    std::set<NodeIndex> nodes,
                    const Sizer& smallest) {
    while (!nodes.empty()) {
        Sizer sizer(request, sketchStays(request, {.together = nodes}));
        sizer.makeSmallest();
        if (const std::optional<Infeasible> tooLarge = firstTooLarge(sizer.plan())) {
            const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeIndex each) {
                return request.nodes[each].node == tooLarge->node;
            });
            nodes.erase(node == nodes.end() ? nodes.begin() : node);
            continue;
        }
        sizer.grow();
        Plan together = finished(sizer, smallest);
        const std::vector<NodeIndex> slower = slowerNodes(together, turns, nodes);
        if (slower.empty()) {
            return together;
        }
        for (const NodeIndex node : slower) {
            nodes.erase(node);
        }
    }
    return turns;
}

std::variant<Plan, Infeasible> planWith(const PlanRequest& request) {
    Sizer smallest(request, sketchStays(request, {}));
    smallest.makeSmallest();
    const std::set<NodeIndex> alternating = alternatingNodes(smallest.plan(), request);
    Sizer roomy(request, sketchStays(request, {.keepsAll = true, .together = alternating}));
    roomy.makeLargest();
    if (!firstTooLarge(roomy.plan())) {
        return finished(roomy, smallest);
    }
    if (std::optional<Infeasible> infeasible = firstTooLarge(smallest.plan())) {
        return *std::move(infeasible);
    }
    smallest.grow();
    Plan turns = finished(smallest, smallest);
    return livingTogether(request, std::move(turns), alternating, smallest);
}

/// What kept components take beside a plan's smallest layouts depends on when they leave.
void findMinimums(const PlanRequest& request, Plan& plan) {
    PlanClearing clearing(request);
    clearing.clearAll();
    Sizer sizer(clearing.request(), sketchStays(clearing.request(), {}));
    sizer.makeSmallest();
    for (size_t i = 0; i < plan.devices.size(); ++i) {
        plan.devices[i].minimum = sizer.plan().devices[i].room;
    }
}

}  // namespace

std::variant<Plan, Infeasible> makePlan(const PlanRequest& request) {
    PlanClearing clearing(request);
    auto planned = planWith(clearing.request());
    const auto* refusal = std::get_if<Infeasible>(&planned);
    while (refusal && clearing.clearMore(refusal->device)) {
        planned = planWith(clearing.request());
        refusal = std::get_if<Infeasible>(&planned);
    }
    if (auto* infeasible = std::get_if<Infeasible>(&planned)) {
        findCheapestFix(clearing.request(), *infeasible);
        return planned;
    }
    auto& plan = std::get<Plan>(planned);
    clearing.tell(plan);
    if (!request.kept.empty() || !request.pinned.empty()) {
        findMinimums(request, plan);
    }
    return planned;
}

std::string formatAtLeast(Bytes bytes) {
    const auto [unit, name] = bytes >= kGiB   ? std::pair(kGiB, " GiB")
                              : bytes >= kMiB ? std::pair(kMiB, " MiB")
                                              : std::pair(kKiB, " KiB");
    const Bytes tenths = bytes / unit * 10 + (bytes % unit * 10 + unit - 1) / unit;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + name;
}

}  // namespace lowtide::memory
