#include "nodes/engine/influence.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <cmath>

namespace lowtide::nodes {

namespace {

void requireFractionOfSteps(double fraction, const char* param) {
    requireThat(fraction >= 0 && fraction <= 1,
                message("{} is {}", param, formatNumber(fraction)),
                message("choose a fraction of the steps from 0 to 1"),
                param);
}

}  // namespace

bool Influence::isFeltIn(int call, int count) const {
    const double begin = static_cast<double>(call) / count;
    const double behind = static_cast<double>(call + 1) / count;
    return strength != 0 && begin >= start && behind <= end;
}

Json toJson(const Influence& influence) {
    return {influence.strength, influence.start, influence.end};
}

void requireInfluence(const Influence& influence, const Message& what) {
    requireThat(std::isfinite(influence.strength),
                message("the strength is no number"),
                message("choose a number, 1 is usual"),
                "strength");
    requireFractionOfSteps(influence.start, "start");
    requireFractionOfSteps(influence.end, "end");
    requireThat(
        influence.start < influence.end, what, message("choose an end behind the start"), "start");
}

}  // namespace lowtide::nodes
