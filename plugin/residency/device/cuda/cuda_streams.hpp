#pragma once

#include "plugin/residency/device/cuda/card_streams.hpp"

namespace lowtide::residency {

/// The streams of one card: LibTorch's current one of the thread that asks, and one of its pool for
/// copies, each of which begins `copyDelay` late. Errors: c10::Error with the runtime's words.
[[nodiscard]] std::unique_ptr<CardStreams> makeCudaStreams(int index, Seconds copyDelay);

}  // namespace lowtide::residency
