#pragma once

#include "tests/gpu/unet_run.hpp"

namespace lowtide::testing {

/// Seconds from the start of a program to the end of its denoiser's first step, as rows: the
/// command, cold (the system forgot the files' pages) and warm, and with a GPU the peer, cold; its
/// warm row is one of peerRows(). The command encodes the prompts too, the peer only loads its
/// network.
[[nodiscard]] Json loadingRows(const UnetCase& unet, const std::string& device, bool hasGpu);

}  // namespace lowtide::testing
