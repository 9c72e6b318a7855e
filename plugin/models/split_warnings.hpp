#pragma once

#include "plugin/host_api/host.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/nn/model.hpp"

namespace lowtide::models {

/// Warnings of load.diffusion_model: one of two denoisers alone, an image encoder that nothing
/// looks at. `imageEncoder` may be null.
[[nodiscard]] Issues splitWarnings(const Model& model, const memory::WireRef& imageEncoder);

}  // namespace lowtide::models
