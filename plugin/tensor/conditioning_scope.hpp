#pragma once
// Torch-free: plans see it.

#include <cstdint>
#include <optional>

namespace lowtide::tensor {

/// A rectangle of a picture.
struct PictureArea {
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;

    [[nodiscard]] bool operator==(const PictureArea&) const = default;
};

/// Where, when and how strongly a prompt speaks beside others.
struct ConditioningScope {
    std::optional<PictureArea> area;  ///< empty: the whole picture
    double strength = 1;              ///< its share of the average where several speak
    double start = 0;                 ///< share of the training schedule, 0: at pure noise
    double end = 1;

    [[nodiscard]] bool isAlways() const { return start <= 0 && end >= 1; }

    [[nodiscard]] bool operator==(const ConditioningScope&) const = default;
};

}  // namespace lowtide::tensor
