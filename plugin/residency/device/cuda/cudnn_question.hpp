#pragma once

#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/device/cuda/cudnn_descriptor.hpp"

#include <optional>

namespace lowtide::residency {

/// A card as cuDNN sees it; bad where there is none of that number.
[[nodiscard]] CudnnDescriptor describeCard(const CudnnCalls& calls, int index);

/// The plan that LibTorch 2.11 takes for at::conv2d on `card` (ATen/native/cudnn/Conv_v8.cpp with
/// benchmark off): of cuDNN's instant suggestions, then of its fallbacks, the first one that the
/// shape's numbers allow and that can be planned. Nothing where there is none or cuDNN refuses.
/// Takes no memory of the card. Milliseconds; a kernel that is compiled for it takes longer.
[[nodiscard]] std::optional<ConvolutionPlan> askCudnn(const CudnnCalls& calls,
                                                      const CudnnDescriptor& card,
                                                      const ConvolutionShape& shape);

}  // namespace lowtide::residency
