#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// Says what files of weights hold. Plugin::extension(kRecogniser) gives it once the plugin was
/// started. Any thread.
class Recogniser {
public:
    virtual ~Recogniser() = default;
    /// Opens a file or folder as loading it does, by headers and settings; its name counts where
    /// nothing else tells (two models of a pair). `result`: {"kind", "layout", "family", "runs",
    /// "state", "needs", "bytes", "largest_bytes", "stored": [{"storage", "tensors", "bytes"}],
    /// "problem", "issues"}. The kind is "checkpoint", "denoiser", "autoencoder", "upscaler", what
    /// else people exchange ("lora", "controlnet", "embedding", ...), "folder" for one without a
    /// model, or "unknown"; layout and family are empty where none is known. The state is "runs",
    /// "one_of_two" (it runs, with the other model that "needs" names), "in_part" (its denoiser
    /// runs, with files that "needs" names; what else it holds is not read), "runs_with" (a file
    /// that it lacks and "needs" names), "not_built", "not_known" or "refused" (the problem says
    /// why it cannot be used as what it is); "runs" is true for the first three. Bytes are those of
    /// all weights and of the largest one as they are stored, with scales; "stored" has them by
    /// type or encoding ("F16", "q4_k"), the largest first. Invalid when nothing is there.
    virtual Status recognise(std::string_view path, std::string& result) noexcept = 0;
};

inline constexpr const char* kRecogniser = "lowtide.recogniser/1";

}  // namespace lowtide
