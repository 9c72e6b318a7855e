#pragma once
// Torch-free, plans see it: what tensors an encoded prompt has, where and when it speaks, and the
// size of images.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::tensor {

/// A rectangle of an image.
struct ImageArea {
    int64_t xPixels = 0;
    int64_t yPixels = 0;
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;

    [[nodiscard]] bool operator==(const ImageArea&) const = default;
};

/// Where, when and how strongly a prompt applies alongside others.
struct ConditioningScope {
    std::optional<ImageArea> area;  ///< empty: the whole image
    double strength = 1;            ///< its weight in the average where several apply
    double start = 0;               ///< fraction of the training schedule, 0: at pure noise
    double end = 1;

    [[nodiscard]] bool isAlways() const { return start <= 0 && end >= 1; }

    [[nodiscard]] bool operator==(const ConditioningScope&) const = default;
};

/// What a tensor of an encoded prompt is, and so what becomes of it when prompts are joined.
enum class FieldKind : uint8_t {
    Sequence,  ///< states of tokens, [1, ..., T, width]: one text behind another is longer
    Vector,    ///< [1, width], of the whole text
    Image,     ///< of one image, [1, ..., width]: joined prompts have the first one's
};

/// A named tensor of the encoded prompts of a family.
struct ConditioningField {
    std::string name;
    FieldKind kind = FieldKind::Sequence;
    int64_t width = 0;  ///< of the last axis

    [[nodiscard]] bool operator==(const ConditioningField&) const = default;
};

using ConditioningFields = std::vector<ConditioningField>;

/// Numbers of a prompt by name: sizes of images, scores.
using NamedNumbers = std::map<std::string, double, std::less<>>;

/// What a CLIP text encoder gives: the states of its tokens, and one vector.
inline constexpr const char* kEmbeds = "embeds";
inline constexpr const char* kPooled = "pooled";
/// Where a prompt applies, [1, 1, H, W] of any size: its weight there, in addition to the strength.
/// No field, since no network reads it; without one a prompt applies all over its area.
inline constexpr const char* kPromptMask = "mask";

/// Of an image in pixels; with several frames, of a video.
struct ImageSize {
    int64_t width = 0;
    int64_t height = 0;
    int64_t frames = 1;

    [[nodiscard]] bool operator==(const ImageSize&) const = default;
};

}  // namespace lowtide::tensor
