#include "plugin/memory/planner.hpp"

#include <algorithm>

namespace lowtide::memory {

#define LOWTIDE_ENTRY(name) PlannerType name();
#include "planner_list.inc"
#undef LOWTIDE_ENTRY

std::span<const PlannerType> planners() {
    static const std::vector<PlannerType> kTypes = [] {
        std::vector<PlannerType> types = {
#define LOWTIDE_ENTRY(name) name(),
#include "planner_list.inc"
#undef LOWTIDE_ENTRY
        };
        std::sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
            return a.name < b.name;
        });
        return types;
    }();
    return kTypes;
}

const PlannerType* findPlanner(std::string_view name) {
    const auto all = planners();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& type) { return type.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace lowtide::memory
