#pragma once
// What is true of a class of networks in every file, stated once for all readers of files.
// Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/checkpoints/checkpoint.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

struct SidecarFile;

/// A component's settings and weights, as networks are made of them.
struct OpenedNetwork {
    Json settings;
    std::string what;  ///< of the settings, in messages
    WeightMap weights;
    std::string className;
};

/// How a file names a network that it holds.
struct NetworkNaming {
    std::string prefix;
    bool isOwn = true;                ///< in its authors' words; else in diffusers'
    std::string_view architecture{};  ///< as ComfyUI-GGUF calls it
};

/// A denoiser alone in a file, as ComfyUI keeps it in diffusion_models, or as GGUF: what its layout
/// (denoiserAlone) is made of besides its names.
struct DenoiserFile {
    const char* layout = nullptr;    ///< its name; nullptr: no file holds such a denoiser alone
    const char* pipeline = nullptr;  ///< the class of the pipeline that has it
    /// The same where settings determine it; nullptr: `pipeline`.
    const char* (*pipelineOf)(const Json& settings) = nullptr;
    /// Cuts matrices that files have as one: the tensors behind the prefix, by names in the file.
    /// nullptr: files have none. All tensors of the file are the denoiser's then, and those that it
    /// does not have are reported.
    WeightMap (*split)(WeightMap denoiser, const NetworkNaming& naming) = nullptr;
    /// What shapes determine, as its config.json states it, without the class. Error{Corrupt} names
    /// a tensor that is missing, Error{Unsupported} a denoiser that is built otherwise.
    Json (*settings)(const WeightMap& denoiser) = nullptr;
    /// Refuses settings that the file cannot have; nullptr: shapes determine all.
    void (*check)(const Json& settings,
                  const std::string& what,
                  const SidecarFile& sidecar) = nullptr;
    /// As scheduler_config.json; nullptr: flowSchedule().
    Json (*scheduler)(const Json& settings) = nullptr;
    std::string (*label)(Checkpoint& opened) = nullptr;  ///< for users; nullptr: Network::models
    Message (*other)(Checkpoint& opened) = nullptr;      ///< as Layout::other
};

/// A class of networks.
struct Network {
    std::vector<std::string_view> classes;  ///< in diffusers or transformers
    const char* stem = kDiffusersStem;      ///< of its weight files
    /// Makes it of settings and headers, to see whether it is complete. Throws the network's
    /// errors, and Error{Unsupported} for one that no family reads.
    void (*open)(const OpenedNetwork& opened) = nullptr;

    /// Of a text encoder: the setting that states its width, and the widths that families read.
    const char* widthSetting = nullptr;  ///< nullptr: it is none
    std::vector<int64_t> widths{};

    /// Of a denoiser, the models that have it, for users.
    std::string_view models{};
    /// Of a denoiser: how the file names it; nothing where the file holds none. nullptr: its files
    /// are not recognised by names.
    std::optional<NetworkNaming> (*find)(const WeightMap& file) = nullptr;
    /// Tensors that identify it by name, for messages.
    std::string_view evidence{};
    /// A weight's name in its authors' words; nullptr: they are diffusers'. A part of a matrix that
    /// they have as one is "NAME[part]": q, k and v lie in this order, others at their number.
    std::string (*ownName)(std::string_view name) = nullptr;
    /// The same in the words of others who write adapters.
    std::vector<std::string (*)(std::string_view name)> otherNames{};
    /// Parts of the names of matrices that remain precise where a file is quantised.
    std::vector<std::string_view> precise{};
    /// Of a denoiser: how a file with it alone is read.
    DenoiserFile file{};

    [[nodiscard]] bool isTextEncoder() const { return widthSetting != nullptr; }

    [[nodiscard]] bool isDenoiser() const { return find != nullptr; }

    [[nodiscard]] bool liesAlone() const { return file.layout != nullptr; }
};

/// The network, opened by `opener`. What opens networks takes LibTorch, all else that they state
/// does not.
[[nodiscard]] inline Network withOpen(Network network,
                                      void (*opener)(const OpenedNetwork& opened)) {
    network.open = opener;
    return network;
}

/// Every class that is built: those that families share, then each family's own.
[[nodiscard]] const std::vector<const Network*>& networks();
/// nullptr: no such class is built.
[[nodiscard]] const Network* networkOf(std::string_view className);
/// `text` of all networks that are meant, for messages, one after the other.
[[nodiscard]] std::string ofNetworks(std::string_view Network::*text,
                                     bool (Network::*isMeant)() const);

/// Opens one component of a checkpoint as a family would, to see whether it is complete: settings
/// and headers, no weight, no tokenizer. Errors: Network::open's. What is no network that is built
/// here is passed over.
void openNetwork(Checkpoint& checkpoint, const std::string& component);

}  // namespace lowtide::models
