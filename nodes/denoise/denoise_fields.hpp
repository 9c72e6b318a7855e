#pragma once
// What images record of the denoiser that made them.

#include "nodes/denoise/denoise.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/memory/component_parts.hpp"

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

/// One run of the denoiser, for the image's metadata.
struct DenoiseFacts {
    const models::Model& model;
    const DenoiseAsked& asked;
    const std::string& samplerLabel;
    const at::Tensor& samples;  ///< [B, C, h, w]
};

/// A file that images name with a hash, in addition to the checkpoint.
struct NamedFile {
    memory::WeightFile file;
    models::FileHash hash = models::FileHash::Adapter;
};

/// LoRAs, ControlNets and IP-Adapters of what is asked, those that are single files.
[[nodiscard]] std::vector<NamedFile> namedFiles(const DenoiseAsked& asked);

/// Sets prompt, negative prompt and the fields "Steps" to "Clip skip", then texts of a second
/// encoder, and sizes, crops and scores where they were given. Where a pass goes on at
/// a fraction of the schedule with another denoiser's latents, the fields "Refiner", "Refiner hash"
/// and "Refiner switch at".
void describeDenoise(tensor::Provenance& provenance, const DenoiseFacts& facts);

}  // namespace lowtide::nodes
