#pragma once

#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/stage_context.hpp"

#include <string_view>

namespace lowtide::models {

/// Tells how much of a stage is done, once the device has done what it was given with `network`: on
/// a card work is queued.
inline void tellProgress(StageContext& context,
                         const memory::ComponentTree& network,
                         const StageCall& call,
                         std::string_view phase,
                         int64_t done,
                         int64_t total) {
    context.weights.finishCompute(context.treeOf(network));
    call.progress(phase, static_cast<double>(done), static_cast<double>(total));
}

}  // namespace lowtide::models
