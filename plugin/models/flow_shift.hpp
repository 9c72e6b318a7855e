#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/model.hpp"

#include <optional>
#include <string>

namespace lowtide::models {

/// How far the noise levels of a flow are moved up, and why so far.
struct FlowShift {
    double value = 1;
    std::string reason;  ///< "automatic for 832 x 480", "automatic for a model of two experts"
    std::optional<double> mu{};  ///< of the scheduler file, which the value follows from
};

/// Of a request: the one that it sets, or what the family or a scheduler file with
/// use_dynamic_shifting takes for the size of its latent; nothing where the file says the shift.
/// Error{InvalidInput} on "shift" for what is no shift, and where the checkpoint is no flow.
[[nodiscard]] std::optional<FlowShift> flowShiftFor(const Model& model,
                                                    const DenoiseRequest& request);

/// Says which one is taken where the request sets none.
[[nodiscard]] Issues shiftNotes(const Model& model, const DenoiseRequest& request);

/// The checkpoint's scheduler file with it.
[[nodiscard]] Json schedulerFor(const Model& model, const DenoiseRequest& request);

}  // namespace lowtide::models
