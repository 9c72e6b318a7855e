#pragma once

namespace lowtide::sampling {

/// The step at a share of a pass, rounded half up: 3 for 0.2 of 14. Source: MagCache's first share.
[[nodiscard]] int stepAtShare(double share, int stepCount);

/// Steps of a pass by shares of it: from `begin` until before `end`.
struct StepRange {
    double begin = 0;
    double end = 1;

    /// Error{InvalidInput} that blames `item` unless 0 <= begin < end <= 1.
    void check(const char* item) const;
    [[nodiscard]] bool holds(int step, int stepCount) const;
};

}  // namespace lowtide::sampling
