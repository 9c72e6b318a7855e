#pragma once
// What outlines of stages are made of.

#include "plugin/base/shape.hpp"
#include "plugin/models/stage_def.hpp"

namespace lowtide::models {

class ConditioningOutline;
struct EmptyOutline;

/// Of a tensor in f32.
[[nodiscard]] Bytes bytesOf(const Shape& shape);

/// One tensor that nothing more is known of.
[[nodiscard]] StageOutput outputOf(const char* type, const Shape& shape);
/// A conditioning.
[[nodiscard]] StageOutput outputOf(const ConditioningOutline& conditioning);
/// Latents that are not there yet: what guides them is all that they hold.
[[nodiscard]] StageOutput latentOutput(const EmptyOutline& empty);
/// Latents; `kind`: as LatentOutline says it, or null.
[[nodiscard]] StageOutput latentOutput(const Shape& shape, const WireRef& kind);

}  // namespace lowtide::models
