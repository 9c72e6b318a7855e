#pragma once
// Torch-free: plans see it.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lowtide::tensor {

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

}  // namespace lowtide::tensor
