#pragma once

#include "plugin/models/stage_def.hpp"

namespace lowtide::sampling {
struct DenoiseResult;
}

namespace lowtide::models {

/// What a pass did, for the report: steps, what its step cache learnt, errors along a recorded one.
void tellDenoised(const sampling::DenoiseResult& result, const StageCall& call);

}  // namespace lowtide::models
