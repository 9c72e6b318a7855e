#pragma once
// A file of a textual inversion. Torch-free.

#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/text/token_vectors.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lowtide::models {

/// The sets of a file that has one for each of two text encoders, as trainers of SDXL name them.
inline constexpr std::string_view kClipL = "clip_l";
inline constexpr std::string_view kClipG = "clip_g";

/// Names of a file's sets, and of the tensors that hold them. The name of a single set is empty.
using EmbeddingTensors = std::map<std::string, std::string, std::less<>>;

/// Finds the sets in a header: one tensor of any name (A1111, diffusers, kohya), or clip_l and
/// clip_g. Error{Unsupported} says what a file is that is no embedding; Error{Corrupt} names the
/// tensor that is no row of vectors, or empty, and sets of different lengths.
[[nodiscard]] EmbeddingTensors embeddingTensors(const WeightFileHeader& header);

/// An embedding, read whole: it is small.
struct EmbeddingFile {
    std::string what;    ///< for messages: the file's name in quotes
    std::string name;    ///< by which prompts call it: the file's name without its ending
    std::string digest;  ///< SHA-256 of the file
    memory::WeightFile stamp;
    std::map<std::string, TokenVectorsRef, std::less<>> sets;  ///< as EmbeddingTensors
};

/// Reads a .safetensors file, or what torch.save wrote (.pt, .bin). Error{Corrupt} names the tensor
/// with a number that is not finite, and a file that is larger than any embedding; and those of
/// embeddingTensors() and openWeightFile().
[[nodiscard]] EmbeddingFile openEmbeddingFile(const std::string& path);

/// The vectors for one text encoder: the file's single set, or the one of that name.
/// `encoder` calls it in messages, `most` is how many vectors fit into its texts.
/// Error{InvalidInput} names file and both widths where the vectors are not as wide as it reads.
[[nodiscard]] TokenVectorsRef vectorsFor(const EmbeddingFile& file,
                                         std::string_view set,
                                         const std::string& encoder,
                                         int64_t width,
                                         int64_t most);

}  // namespace lowtide::models
