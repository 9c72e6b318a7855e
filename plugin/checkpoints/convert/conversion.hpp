#pragma once
// Writes the weights of a checkpoint again, in another storage: the plan and the work. Torch-free.

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/files/output_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lowtide::models {

/// The user's request.
struct ConvertRequest {
    std::string checkpoint;     ///< as typed: a file, or a folder in the diffusers layout
    std::string storage;        ///< "f16", "f8", "int8", "q8_0" or "q4_k"
    std::string out;            ///< the new file; one of that name is replaced
    std::string graphFolder{};  ///< from which a relative checkpoint is seen too
};

/// A storage in which a checkpoint can be written again.
struct ConversionChoice {
    std::string storage;
    std::string ending;     ///< of the file: ".gguf"
    std::string contents;   ///< as Conversion has it
    Bytes bytes = 0;        ///< of the new file, at most
    Bytes sourceBytes = 0;  ///< of the same tensors as they lie now
};

struct ConversionChoices {
    std::string path;  ///< where the checkpoint lies
    std::vector<ConversionChoice> choices;
};

/// What was written, and how far it is from the source.
struct Conversion {
    std::string contents;  ///< "model.safetensors", "the denoiser of it", "the unet of a folder"
    std::vector<StoredFraction> before;  ///< of the tensors that were written again
    std::vector<StoredFraction> after;
    int64_t rounded = 0;  ///< tensors whose numbers are not those of the source
    /// Root of (squared differences / squared numbers) of a rounded tensor: the largest one, its
    /// tensor, and the root mean square over all of them.
    double worstError = 0;
    std::string worstTensor;
    double meanError = 0;
};

/// Asked between pieces, with bytes of the new file's tensors; false cancels.
using GoesOn = std::function<bool(Bytes done, Bytes total)>;

/// Reads the checkpoint by pieces of a few MiB and writes the file whole or not at all: f16, f8 and
/// int8 as safetensors with the source's names, f8 and int8 in the denoiser's matrices alone, as
/// ComfyUI has them; q8_0 and q4_k as a GGUF file of the denoiser alone, as ComfyUI-GGUF has them.
/// Error{InvalidInput} for another storage, an ending that does not fit it, the source itself as
/// target, and numbers that a type does not hold (with key and value); Error{Unsupported} for files
/// without a denoiser of Stable Diffusion 1.x, 2.x or XL; Error{Device} where `freeBytes` are too
/// few, before anything is written; Error{Corrupt} for numbers that are none; Error{Cancelled}; and
/// those of the readers and files::OutputFile.
[[nodiscard]] Conversion convertWeights(const CheckpointPath& checkpoint,
                                        const std::string& storage,
                                        const std::string& out,
                                        const GoesOn& goesOn,
                                        const files::FreeBytes& freeBytes = files::freeBytesAt);

/// What convertWeights() could write, from headers alone. Its errors of the source.
[[nodiscard]] ConversionChoices conversionChoices(const CheckpointPath& checkpoint);

}  // namespace lowtide::models
