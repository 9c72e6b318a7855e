#pragma once
// What pictures say of how they were made: the A1111 `parameters` text.

#include "plugin/models/stages.hpp"

#include <functional>
#include <string>

namespace at {
class Tensor;
}

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::models {

class Model;

/// One run of the denoiser, for the picture's metadata.
struct DenoiseFacts {
    const Model& model;
    const DenoiseRequest& request;
    const std::string& samplerLabel;
    const at::Tensor& samples;  ///< [B, C, h, w]
};

/// Sets prompt, negative prompt and the fields "Steps" to "Clip skip", then texts of a second
/// encoder, and sizes, crops and scores where they were given. For a request that goes on at a
/// share of the schedule with another denoiser's latents the fields "Refiner", "Refiner hash" and
/// "Refiner switch at". A hash is the id of the denoiser's tree until the text is made, since
/// hashing a big file takes time.
void describeDenoise(tensor::Provenance& provenance, const DenoiseFacts& facts);

/// The text: prompt, "Negative prompt: ..." where there is one, fields, version. `hashOf` gives the
/// model hash for the id of a denoiser's tree, empty: the field is left out. Empty when no denoiser
/// made the picture.
[[nodiscard]] std::string parametersTextOf(
    const tensor::Provenance& provenance,
    const std::function<std::string(const std::string&)>& hashOf);

}  // namespace lowtide::models
