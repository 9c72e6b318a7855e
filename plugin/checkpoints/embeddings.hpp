#pragma once
// Textual inversions: their files, what users call them, and those that prompts may name.
// Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/text/named_embeddings.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The sets of a file that has one for each of two text encoders, as trainers name them.
inline constexpr std::string_view kClipL = "clip_l";
inline constexpr std::string_view kClipG = "clip_g";

/// Names of a file's sets, and of the tensors that hold them. The name of a single set is empty.
using EmbeddingTensors = std::map<std::string, std::string, std::less<>>;

/// Finds the sets in a header: one tensor of any name (A1111, diffusers, kohya), or clip_l and
/// clip_g. Error{Unsupported} states what a file is that is no embedding; Error{Corrupt} names the
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
                                         const Message& encoder,
                                         int64_t width,
                                         int64_t most);

/// "embedding for SD 1.x, 3 vectors"; from the header alone. Errors: those of embeddingTensors().
[[nodiscard]] std::string whatEmbeddingIs(const WeightFileHeader& header);

using EmbeddingRef = std::shared_ptr<const EmbeddingFile>;

/// Embeddings that were opened, by their paths: the same file gives the same value, opened again
/// where it changed. Thread-safe.
class EmbeddingCache {
public:
    /// Errors: those of openEmbeddingFile().
    [[nodiscard]] EmbeddingRef open(const std::string& path);

private:
    std::mutex mutex_;
    std::map<std::string, EmbeddingRef> known_;
};

/// The folders in which embeddings are looked for, those that are there, each once: of each
/// location a folder "embeddings" in it or next to it, and A1111's, which is next to "models". A
/// location that is called so is one itself.
[[nodiscard]] std::vector<std::string> embeddingFolders(std::span<const std::string> locations);

/// The files of some folders and of the folders in them, as they were when they were listed; a
/// file is opened when a prompt names it.
class EmbeddingLibrary {
public:
    /// A folder that cannot be read has no files.
    EmbeddingLibrary(std::vector<std::string> folders, std::shared_ptr<EmbeddingCache> cache);

    /// What prompts may write as a word: the names of files without ending and folder, each once.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// The file that is called so: by its path in the folder, with its ending or without, or by its
    /// name, in this case or another; of several the first folder's, and .safetensors before .pt
    /// before .bin. Null: there is none. Errors: those of openEmbeddingFile().
    [[nodiscard]] EmbeddingRef find(std::string_view name) const;

    [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }

private:
    struct Entry {
        std::string relative;  ///< "styles/ink.pt"
        std::string path;
    };

    std::vector<std::string> folders_;
    std::shared_ptr<EmbeddingCache> cache_;
    std::vector<Entry> entries_;  ///< in the order in which they are taken
    std::vector<std::string> names_;
};

}  // namespace lowtide::models
