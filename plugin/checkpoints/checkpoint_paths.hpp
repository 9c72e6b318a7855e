#pragma once
// What is asked of nodes that open files, and where such files are found. Torch-free.

#include "plugin/memory/wire_value.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// A checkpoint that was found: where it is and what users call it.
struct CheckpointPath {
    std::string path;
    std::string name;  ///< the last part of the path; "mini" for builtin:mini; a repository's
};

/// Finds what a user typed: "builtin:mini", an absolute path, or one relative to the graph, then
/// to the model folders; in those locations, ComfyUI's and A1111's folders for such files are
/// searched too ("checkpoints", "VAE"). `item` is what it is: "checkpoint", "unet", "vae",
/// "upscaler", "diffusion_model", "text_encoder", "autoencoder" or "image_encoder". In a cache of
/// Hugging Face's libraries "org/name" is found, and a folder models--org--name is its snapshot.
/// Error{NotFound} states where it was looked for.
[[nodiscard]] CheckpointPath findCheckpoint(std::string_view typed,
                                            std::string_view graphFolder,
                                            const std::string& resourcesFolder,
                                            std::span<const std::string> modelFolders,
                                            const char* item);

/// The same for an adapter (LoRA): folders "loras" and "Lora" in those locations are searched too,
/// and ".safetensors" may be left out.
[[nodiscard]] CheckpointPath findAdapter(std::string_view typed,
                                         std::string_view graphFolder,
                                         std::span<const std::string> modelFolders);

/// The same for a ControlNet, a file or a folder: "controlnet", "t2i_adapter" and "ControlNet" are
/// searched too.
[[nodiscard]] CheckpointPath findControlNet(std::string_view typed,
                                            std::string_view graphFolder,
                                            std::span<const std::string> modelFolders);

/// The same for an IP-Adapter: "ipadapter" and "ip_adapter" are searched too.
[[nodiscard]] CheckpointPath findIpAdapter(std::string_view typed,
                                           std::string_view graphFolder,
                                           std::span<const std::string> modelFolders);

/// The same for an image encoder, a file or a folder: "clip_vision" is searched too.
[[nodiscard]] CheckpointPath findImageEncoder(std::string_view typed,
                                              std::string_view graphFolder,
                                              std::span<const std::string> modelFolders);

/// What load.checkpoint opens. Paths: "builtin:mini", absolute, or relative to the graph's folder,
/// then to the model folders.
struct LoadRequest {
    /// A folder in the diffusers layout, or one file in LDM's.
    std::string checkpoint = "builtin:mini";
    std::string unet{};  ///< a file with another denoiser; empty: the checkpoint's own
    std::string vae;     ///< likewise with another autoencoder
    /// Likewise with a fourth text encoder, or a folder of it and its tokenizer.
    std::string textEncoder4{};
    std::string prediction = "checkpoint";  ///< "epsilon", "v_prediction", or what it states itself
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
    std::string lowNoise{};  ///< of the low-noise model; empty: there is one denoiser
    memory::WireRef textEncoder{};
    memory::WireRef autoencoder{};
    memory::WireRef imageEncoder{};
};

/// What load.lora makes of a model. Paths as those of checkpoints.
struct LoraRequest {
    memory::WireRef model;
    std::string file;
    double strength = 1;      ///< of the deltas of the denoiser; 0: none
    double textStrength = 1;  ///< of those of the text encoders
    std::string noiseModel =
        "both";  ///< that it changes, where the model has two: high_noise, low_noise
};

}  // namespace lowtide::models
