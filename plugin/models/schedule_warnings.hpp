#pragma once

#include "plugin/host_api/host.hpp"
#include "plugin/models/stage_requests.hpp"

namespace lowtide::sampling {
class Sampler;
}

namespace lowtide::models {

class Model;

/// What the checkpoint's scheduler file asks for and the request's `sampler` does not do: noise
/// without any signal (rescale_betas_zero_snr) that is not known to the sampler's class, or that no
/// step begins at.
[[nodiscard]] Issues scheduleWarnings(const Model& model,
                                      const DenoiseRequest& request,
                                      const sampling::Sampler& sampler);

/// A request that goes on with the noise of a pass before, where the latent is an encoded picture,
/// which has none. `latentKind`: what is known of the latent before the run.
[[nodiscard]] Issues handoverWarnings(const DenoiseRequest& request, const WireRef& latentKind);

/// A refiner that would make a picture out of noise alone.
[[nodiscard]] Issues refinerWarnings(const Model& model, const WireRef& latentKind);

}  // namespace lowtide::models
