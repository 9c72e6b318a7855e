#pragma once
// Torch-free, plans see it: what tensors an encoded prompt has, where and when it speaks, and the
// size of pictures.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

/// What a tensor of an encoded prompt is, and so what becomes of it when prompts are joined.
enum class FieldKind : uint8_t {
    Sequence,  ///< states of tokens, [1, ..., T, width]: one text behind another is longer
    Vector,    ///< [1, width], of the whole text
    Image,     ///< of a picture, [1, ..., width]: joined prompts have the first one's
};

/// A named tensor of the encoded prompts of a family.
struct ConditioningField {
    std::string name;
    FieldKind kind = FieldKind::Sequence;
    int64_t width = 0;  ///< of the last axis

    [[nodiscard]] bool operator==(const ConditioningField&) const = default;
};

using ConditioningFields = std::vector<ConditioningField>;

/// Numbers of a prompt by name: sizes of pictures, scores.
using NamedNumbers = std::map<std::string, double, std::less<>>;

/// What a CLIP text encoder gives: the states of its tokens, and one vector.
inline constexpr const char* kEmbeds = "embeds";
inline constexpr const char* kPooled = "pooled";

/// Of a picture in pixels; with several frames, of a video.
struct PictureSize {
    int64_t width = 0;
    int64_t height = 0;
    int64_t frames = 1;

    [[nodiscard]] bool operator==(const PictureSize&) const = default;
};

}  // namespace lowtide::tensor
