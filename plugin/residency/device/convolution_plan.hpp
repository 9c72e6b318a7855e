#pragma once
// How a GPU would compute a convolution, and answers that are remembered.

#include "plugin/base/units.hpp"

#include <array>
#include <functional>
#include <optional>

namespace lowtide::residency {

/// What a GPU chooses the algorithm of a convolution by. All tensors are of `type` and lie as
/// their sizes state, the last axis closest.
struct ConvolutionShape {
    int gpu = 0;                      ///< index of the CUDA device that is asked
    DType type = DType::F32;          ///< F32, F16 or BF16
    std::array<int64_t, 4> input{};   ///< [B, C, H, W]
    std::array<int64_t, 4> weight{};  ///< [O, C, h, w]
    int64_t stride = 1;               ///< of both axes
    int64_t padding = 0;              ///< pixels at each side
    bool allowsTf32 = false;          ///< f32 may be multiplied in TF32
    bool isDeterministic = false;     ///< the same bits every time are asked for

    auto operator<=>(const ConvolutionShape&) const = default;
};

/// What a GPU chose.
struct ConvolutionPlan {
    Bytes workspace = 0;  ///< memory for the time of the convolution
    int64_t engine = 0;   ///< the algorithm's number in cuDNN
    bool tensorCores = false;
    bool isDeterministic = false;
    DType accumulates = DType::F32;  ///< in which it sums
};

/// Somebody who knows the workspace of convolutions; nothing: not of this one.
using ConvolutionQuestion = std::function<std::optional<Bytes>(const ConvolutionShape&)>;

using ConvolutionAnswerer = std::function<std::optional<ConvolutionPlan>(const ConvolutionShape&)>;

/// Asks for the workspace of each shape once, writes the plan to the log (debug), and remembers it,
/// also that there was none. Any thread; one question at a time. The copies share their memory.
[[nodiscard]] ConvolutionQuestion remembered(ConvolutionAnswerer ask);

}  // namespace lowtide::residency
