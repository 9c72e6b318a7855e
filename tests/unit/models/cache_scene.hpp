#pragma once

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/stage_work.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::testing {

/// What a sampling node made under a step cache, and reported about it.
struct MadeUnderCache {
    at::Tensor samples;  ///< on the host
    Json steps;          ///< as the report has them
    Json record;         ///< of a recorder; else null
};

/// A model on a device with the prompts of one request.
struct CacheScene {
    explicit CacheScene(const DryRunCase& dryRunCase, memory::DeviceSpec device = {});

    [[nodiscard]] MadeUnderCache denoise(nodes::WireRef cache);
    /// What is known before such a run with the request's step cache.
    [[nodiscard]] memory::StageWork dryRun();

    ModelBench bench;
    nodes::WireRef model;
    DenoiseRequest request;
    DenoiseShapes shapes;
};

/// Both prompts on the device of all text encoders of `model`.
[[nodiscard]] EncodeResult encodeOn(ModelBench& bench,
                                    const nodes::WireRef& model,
                                    const std::string& prompt);

}  // namespace lowtide::testing
