#pragma once

#include "plugin/base/shape.hpp"
#include "plugin/checkpoints/adapters/named_factors.hpp"
#include "plugin/checkpoints/adapters/row_change.hpp"

#include <optional>

namespace lowtide::models {

/// The lengths that DoRA gives to the sum of a weight and its change: of each output (all its
/// inputs) or of each input (all outputs).
struct Magnitudes {
    at::Tensor values;  ///< as many as outputs or inputs
    bool areOfOutputs = true;
};

/// Of any kind that adds to a weight: `dora_scale` as LyCORIS and kohya write it, whose shape says
/// the axis ([O, 1, ...] or [1, I, 1, ...]), or `magnitude` as peft does (lora_magnitude_vector),
/// always of outputs, [O] or [1, O, 1, 1]. Nothing where the change is no DoRA.
[[nodiscard]] std::optional<Magnitudes> magnitudesOf(const Shape& weight,
                                                     const NamedFactors& factors);

/// W + strength (m (W + scale change) / length(W + scale change) - W), in place; W is a matrix
/// [O, inputs x kernel]. Strength 1 is LyCORIS' and peft's DoRA, others are ComfyUI's and A1111's
/// line from the checkpoint: LyCORIS scales m / length - 1 alone, so that its 0 is no checkpoint.
/// Lengths of outputs are those of the sum, as trainers have them; ComfyUI takes W's, A1111 knows
/// lengths of inputs alone. Source: LyCORIS 4.1.3 functional/general.py, with its epsilon.
void addDecomposed(at::Tensor& matrix,
                   int64_t inputs,
                   const RowChange& change,
                   const Magnitudes& magnitudes,
                   double scale,
                   double strength);

}  // namespace lowtide::models
