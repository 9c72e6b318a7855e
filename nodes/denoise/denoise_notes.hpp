#pragma once
// What the user should know of a denoiser's size, guidance and schedule before it runs.

#include "nodes/denoise/denoise.hpp"
#include "plugin/base/issue.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "plugin/nn/model.hpp"

#include <memory>

namespace lowtide::sampling {
class Sampler;
}

namespace lowtide::nodes {

/// States which flow shift is taken where none is set.
[[nodiscard]] Issues shiftNotes(const models::Model& model, const DenoiseAsked& asked);

/// Notes where its pipeline would make another size than the one that is asked for and made here,
/// or where the size is far from those of the training; nothing of videos, whose models were
/// trained at several. `isEmpty`: the latent holds no image yet.
[[nodiscard]] Issues sizeNotes(const models::ModelInfo& info, const Shape& latent, bool isEmpty);

/// What hosts may show of the size that images of the model usually have; null: it is not known.
[[nodiscard]] std::shared_ptr<const Json> sizeFacts(const models::ModelInfo& info);

/// States which guidance an automatic one is, where the model states it, and where a set one is far
/// above that. `cfg`: as asked.
[[nodiscard]] Issues guidanceNotes(const models::ModelInfo& info, double cfg);

/// What the checkpoint's scheduler file asks for and `sampler` does not do: noise without any
/// signal (rescale_betas_zero_snr) that is not known to the sampler's class, or that no step begins
/// at.
[[nodiscard]] Issues scheduleWarnings(const models::Model& model,
                                      const DenoiseAsked& asked,
                                      const sampling::Sampler& sampler);

/// Where the noise of an earlier pass is gone on with, and the latent is an encoded image, which
/// has none. `latentKind`: what is known of the latent before the run.
[[nodiscard]] Issues handoverWarnings(const DenoiseAsked& asked, const WireRef& latentKind);

/// A refiner that would make an image out of noise alone.
[[nodiscard]] Issues refinerWarnings(const models::Model& model, const WireRef& latentKind);

}  // namespace lowtide::nodes
