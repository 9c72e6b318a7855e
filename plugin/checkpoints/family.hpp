#pragma once
// A family of checkpoints: what it states, how it is found, and what families with transformers
// have in common. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/model.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

struct Layout;
struct Network;

/// A slot for a text encoder that comes as a file of its own.
struct TextSlot {
    std::string component;             ///< "text_encoder_2"
    std::string tokenizer;             ///< "tokenizer_2"
    std::vector<std::string> classes;  ///< of networks that it takes; of several slots for the same
                                       ///< the widest network has the last
};

/// A width by which published networks are distinguished.
struct NamedWidth {
    int64_t width = 0;
    Phrase name;  ///< "SD 1.x"
    bool isBuilt = true;
};

/// Marks by which an adapter for the family is recognised. Names of modules have '.' for '_'.
struct AdapterMarks {
    std::string_view name{};  ///< of the model that `parts` identify, for users: "Z-Image"
    std::vector<std::string_view> parts{};  ///< of names that no other network has
    /// How names of its denoiser's modules begin where nothing names the component before them.
    std::vector<std::string_view> beginnings{};
    /// Ends of names of modules that read all channels of its denoiser, and how wide that is where
    /// it was published; empty: the parts suffice.
    std::vector<std::string_view> wholeModules{};
    std::vector<int64_t> widths{};
    /// Parts of names of modules that only a relative which is not built has, with '.' for '_' as
    /// all parts, or with '_' as files spell them and a '.' before the name; and what that is
    /// called.
    std::vector<std::pair<std::string_view, Phrase>> relatives{};
    /// Ends of names of modules that read its denoiser's latent, and how wide that is: those of
    /// relatives read an image in addition to it. Empty: the widths suffice.
    std::vector<std::string_view> latentModules{};
    int64_t latentWidth = 0;
    /// Of the text that cross attentions of its UNets read; of its transformers, which read a text
    /// as wide as they are; and of its CLIP encoders.
    std::vector<NamedWidth> contexts{};
    std::vector<NamedWidth> ownContexts{};
    std::vector<NamedWidth> texts{};
    /// Of the vectors of textual inversions; 0: of both encoders' in one file.
    std::vector<NamedWidth> embeddings{};
    /// Of the squares of pixels that T2I-Adapters read as one.
    std::vector<NamedWidth> hintSquares{};
    /// Folder of an image encoder in the repository of IP-Adapter's authors.
    std::string_view imageEncoders{};
};

/// Marks by which a family is recognised from its UNet, whose class several have.
struct UNetMarks {
    std::string_view architecture{};  ///< as ComfyUI-GGUF calls it
    /// It has one of these; empty: it is the one that no other family's marks match.
    std::vector<std::string_view> tensors{};
};

/// A kind of file that is recognised by a part of a tensor's name.
struct NamedKind {
    std::string_view part{};
    std::string_view kind{};  ///< "checkpoint", as KnownFile::kind
    std::string_view name{};  ///< for users
};

/// A family of checkpoints. Each has a folder with `const Family& <folder>();` and one lowtide_add
/// line.
struct Family {
    std::string name;
    /// All that models of it may have; ComponentSource::components() states which a model has.
    std::vector<ComponentDesc> components;
    /// Whether the folder is one of this family, by what its index states.
    bool (*detect)(const Checkpoint& checkpoint) = nullptr;
    /// Reads configs and headers, no weight. Errors name the file and the setting or tensor.
    std::shared_ptr<const Model> (*open)(Checkpoint& checkpoint) = nullptr;
    /// What users call this one, from its settings: "SD 1.x inpainting"; nullptr: the name.
    std::string (*label)(Checkpoint& checkpoint) = nullptr;
    /// Of a model that is put together of files; empty: it is not.
    std::vector<TextSlot> texts{};
    /// Classes of networks, and layouts of files, that it alone has.
    std::vector<const Network*> networks{};
    std::vector<const Layout*> layouts{};
    AdapterMarks adapters{};
    UNetMarks unet{};
    /// Files for its relatives, which are not built, by tensors that no other file has.
    std::vector<NamedKind> relatives{};
};

using Families = std::span<const Family* const>;

/// Every family that is built.
[[nodiscard]] Families families();
/// The family that detects it; nullptr where none does.
[[nodiscard]] const Family* familyOf(const Checkpoint& checkpoint, Families known = families());
/// Opens a checkpoint with the family that detects it. Error{Unsupported} names the pipeline class
/// that was seen and the families that are known.
[[nodiscard]] std::shared_ptr<const Model> openCheckpoint(Checkpoint& checkpoint,
                                                          Families known = families());

/// The one of all families' `widths` that is so wide; nullptr where none is.
[[nodiscard]] const NamedWidth* published(std::vector<NamedWidth> AdapterMarks::*widths,
                                          int64_t width);

/// Narrower than every published network: made to try things. Only the model that it is chosen for
/// can determine whether it fits.
inline constexpr int64_t kNarrowestPublished = 512;

/// Whether a network that wide may be one of those that are read here, which are published with
/// `widths`.
[[nodiscard]] inline bool mayBeOneOf(std::span<const int64_t> widths, int64_t width) {
    return width < kNarrowestPublished ||
           std::find(widths.begin(), widths.end(), width) != widths.end();
}

/// Presets of families with transformers: quality is f32 as files have it; balanced holds and
/// computes text encoders and denoisers in bf16, speed the autoencoder too. Others remain exact.
[[nodiscard]] decltype(memory::FamilyPrecision::presets) bf16Presets(
    const std::vector<std::string>& textEncoders,
    const std::vector<std::string>& denoisers,
    const std::vector<std::string>& others = {});

}  // namespace lowtide::models
