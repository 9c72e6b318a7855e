#pragma once

#include <cstddef>

namespace lowtide::models {

/// How many characters may be looked at once more. Mending is repeated until nothing changes, and
/// texts can be made in which every round mends one character ("&amp;amp;amp;..."): one of a
/// thousand characters has four thousand rounds, one of a million eight.
class Effort {
public:
    explicit Effort(size_t characters) : left_(kLeast + kRounds * characters) {}

    /// Whether a text of so many characters may be looked at again.
    [[nodiscard]] bool takes(size_t characters) {
        const size_t cost = characters + kEachTime;
        const bool isLeft = cost <= left_;
        left_ -= isLeft ? cost : left_;
        return isLeft;
    }

private:
    static constexpr size_t kLeast = size_t{1} << 22;
    static constexpr size_t kRounds = 4;
    static constexpr size_t kEachTime = 16;

    size_t left_;
};

}  // namespace lowtide::models
