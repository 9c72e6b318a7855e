#pragma once
// What is asked of nodes that open files.

#include "plugin/memory/wire_value.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What load.checkpoint opens. Paths: "builtin:mini", absolute, or relative to the graph's folder,
/// then to the model folders.
struct LoadRequest {
    std::string checkpoint;  ///< a folder in the diffusers layout, or one file in LDM's
    std::string unet{};      ///< a file with another denoiser; empty: the checkpoint's own
    std::string vae;         ///< likewise with another autoencoder
    /// Likewise with a fourth text encoder, or a folder of it and its tokenizer.
    std::string textEncoder4{};
    std::string prediction = "checkpoint";  ///< "epsilon", "v_prediction", or what it says itself
};

/// What load.text_encoder, load.text_encoders, load.autoencoder and load.image_encoder open. Paths
/// as those of checkpoints.
struct PartRequest {
    std::string item;  ///< "text_encoder", "autoencoder" or "image_encoder"
    /// By the parameter of each: "file", "file_2". Several of text encoders; empty ones are none.
    std::vector<std::pair<std::string, std::string>> files;
};

/// What load.diffusion_model puts together; null: nothing is connected.
struct DiffusionModelRequest {
    std::string file;        ///< of the denoiser
    std::string lowNoise{};  ///< of the expert for lower noise levels; empty: there is one denoiser
    memory::WireRef textEncoder{};
    memory::WireRef autoencoder{};
    memory::WireRef imageEncoder{};
};

/// What load.lora makes of a model. Paths as those of checkpoints.
struct LoraRequest {
    memory::WireRef model;
    std::string file;
    double strength = 1;      ///< of the changes of the denoiser; 0: none
    double textStrength = 1;  ///< of those of the text encoders
    std::string expert =
        "both";  ///< that it changes, where the model has two: high_noise, low_noise
};

}  // namespace lowtide::models
