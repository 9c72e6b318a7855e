#pragma once
// Opens IP-Adapters by their headers, and finds their image encoders. Torch-free.

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace lowtide::models {

/// Which IP-Adapter a person means, with which image encoder.
struct IpAdapterChoice {
    CheckpointPath file;
    std::optional<CheckpointPath> encoder;  ///< nothing: the one that lies where they usually do
};

/// A folder with config.json and weights as transformers writes them, or one file in the same
/// names. No weight is read. Error{Unsupported}, Error{Corrupt}, Error{NotFound} name file, setting
/// or tensor.
[[nodiscard]] ImageEncoderFile openImageEncoder(const CheckpointPath& path);

/// A file as diffusers, ComfyUI and the author of IP-Adapter have it (.safetensors, .bin). Where no
/// encoder is chosen: image_encoder/ beside the file, models/image_encoder and
/// sdxl_models/image_encoder beside its folder, as in h94's repository, and clip_vision/ beside its
/// folder or in `modelFolders`; the first one of the width that the adapter reads. No weight is
/// read. Error{NotFound} on "image_encoder" says what is needed; else errors of both files.
[[nodiscard]] std::shared_ptr<const IpAdapter> openIpAdapter(
    const IpAdapterChoice& choice, std::span<const std::string> modelFolders);

/// Opened IP-Adapters: the same files give the same value. Those that nobody uses are forgotten,
/// but for the last few. Thread-safe.
class IpAdapters {
public:
    /// Anew where one of its files changed.
    [[nodiscard]] std::shared_ptr<const IpAdapter> open(const IpAdapterChoice& choice,
                                                        std::span<const std::string> modelFolders);

private:
    struct Entry {
        std::string path;
        std::string encoder;  ///< empty: none was chosen
        std::shared_ptr<const IpAdapter> adapter;
    };

    std::mutex mutex_;
    std::deque<Entry> recent_;  ///< the last used one in front
};

}  // namespace lowtide::models
