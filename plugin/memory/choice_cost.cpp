#include "plugin/memory/choice_cost.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

/// Predictions that are as close as that are equal.
constexpr double kEqualTimes = 1e-3;

}  // namespace

size_t bestChoice(const std::vector<ChoiceCost>& choices) {
    const auto fastest = std::min_element(
        choices.begin(), choices.end(), [](const ChoiceCost& left, const ChoiceCost& right) {
            return left.seconds < right.seconds;
        });
    size_t best = static_cast<size_t>(fastest - choices.begin());
    for (size_t i = 0; i < choices.size(); ++i) {
        const bool isFast = choices[i].seconds <= fastest->seconds * (1 + kEqualTimes);
        const bool isLess = choices[i].moved < choices[best].moved;
        best = isFast && isLess ? i : best;
    }
    return best;
}

}  // namespace lowtide::memory
