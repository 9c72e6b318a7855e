#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A checkpoint that was found: where it is and what people call it.
struct CheckpointPath {
    std::string path;
    std::string name;  ///< the last part of the path; "mini" for builtin:mini; a repository's
};

/// Finds what a person typed: "builtin:mini", an absolute path, or one relative to the graph, then
/// to the model folders; in those places in ComfyUI's and A1111's folders for such files too
/// ("checkpoints", "VAE"). `item` is what it is: "checkpoint", "unet", "vae", "upscaler",
/// "diffusion_model", "text_encoder", "autoencoder" or "image_encoder".
/// In a cache of Hugging Face's libraries "org/name" is found, and a folder models--org--name is
/// its snapshot. Error{NotFound} says where it was looked for.
[[nodiscard]] CheckpointPath findCheckpoint(std::string_view typed,
                                            std::string_view graphFolder,
                                            const std::string& resourcesFolder,
                                            std::span<const std::string> modelFolders,
                                            const char* item);

/// The same for an adapter (LoRA): folders "loras" and "Lora" in those places are searched too, and
/// ".safetensors" may be left out.
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

}  // namespace lowtide::models
