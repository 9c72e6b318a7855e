#pragma once
// What pictures say of how they were made: the A1111 `parameters` text.

#include "nodes/denoise/denoise.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/memory/component_parts.hpp"

#include <functional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::tensor {
struct Provenance;
}

namespace lowtide::models {
class Model;
}

namespace lowtide::nodes {

/// One run of the denoiser, for the picture's metadata.
struct DenoiseFacts {
    const models::Model& model;
    const DenoiseAsked& asked;
    const std::string& samplerLabel;
    const at::Tensor& samples;  ///< [B, C, h, w]
};

/// A file that pictures name with a hash, beside the checkpoint.
struct NamedFile {
    memory::WeightFile file;
    models::FileHash hash = models::FileHash::Adapter;
};

/// LoRAs, ControlNets and IP-Adapters of what is asked, those that are single files.
[[nodiscard]] std::vector<NamedFile> namedFiles(const DenoiseAsked& asked);

/// Sets prompt, negative prompt and the fields "Steps" to "Clip skip", then texts of a second
/// encoder, and sizes, crops and scores where they were given. Where a pass goes on at
/// a share of the schedule with another denoiser's latents, the fields "Refiner", "Refiner hash"
/// and "Refiner switch at". Where a hash will be is an id of ModelHashes until the text is made,
/// since hashing a big file takes time.
void describeDenoise(tensor::Provenance& provenance, const DenoiseFacts& facts);

/// The text: prompt, "Negative prompt: ..." where there is one, fields, version. `hashOf` gives the
/// hash for an id, empty: it is left out. Empty when no denoiser made the picture.
[[nodiscard]] std::string parametersTextOf(
    const tensor::Provenance& provenance,
    const std::function<std::string(const std::string&)>& hashOf);

}  // namespace lowtide::nodes
