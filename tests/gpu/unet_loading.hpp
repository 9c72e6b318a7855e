#pragma once

#include "tests/gpu/unet_run.hpp"

namespace lowtide::testing {

/// Seconds from the start of a program to the end of its denoiser's first step, as rows: the
/// command and the peer (on its device "cuda" or "cpu"), cold (the system forgot the files' pages)
/// and warm. The command encodes the prompts too, the peer only loads its network.
[[nodiscard]] Json loadingRows(const UnetCase& unet,
                               const std::string& device,
                               const std::string& peerDevice);

}  // namespace lowtide::testing
