#pragma once

#include "plugin/host_api/host.hpp"

#include <optional>

namespace lowtide::image {

/// How alike the structures of two 8-bit pictures of one size and number of channels are (SSIM): 1
/// where they are equal. Mean over the channels; empty where a side has fewer than 11 pixels.
/// Source: Wang et al. 2004 with its gaussian window of 11 x 11 and sigma 1.5; equal to
/// scikit-image's structural_similarity with gaussian_weights=True, sigma=1.5,
/// use_sample_covariance=False, data_range=255.
[[nodiscard]] std::optional<double> structuralSimilarity(const Image8& reference,
                                                         const Image8& picture);

}  // namespace lowtide::image
