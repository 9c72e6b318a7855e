#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// Says what files of weights hold. Plugin::extension(kRecogniser) gives it once the plugin was
/// started. Any thread.
class Recogniser {
public:
    virtual ~Recogniser() = default;
    /// Reads the headers of a file, or of a folder in the diffusers layout; never its name.
    /// `result`: {"kind", "layout", "family", "runs", "bytes", "largest_bytes", "stored":
    /// [{"storage", "tensors", "bytes"}], "problem", "issues"}. The kind is "checkpoint",
    /// "denoiser", "autoencoder", "upscaler", what else people exchange ("lora", "controlnet",
    /// "embedding", ...) or "unknown"; layout and family are empty where none is known; bytes are
    /// those of all weights and of the largest one as they are stored, with scales; "stored" has
    /// them by type or encoding ("F16", "q4_k"), the largest first; a problem says why it cannot be
    /// used as what it is. Invalid when nothing is there.
    virtual Status recognise(std::string_view path, std::string& result) noexcept = 0;
};

inline constexpr const char* kRecogniser = "lowtide.recogniser/1";

}  // namespace lowtide
