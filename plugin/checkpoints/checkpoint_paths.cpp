#include "plugin/checkpoints/checkpoint_paths.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltin = "builtin:";
constexpr std::string_view kMini = "mini";

CheckpointPath builtin(std::string_view name, const std::string& resourcesFolder) {
    if (name != kMini) {
        throw Error(ErrorKind::NotFound,
                    message("there is no built-in checkpoint \"{}\"", name),
                    message("the built-in checkpoint is builtin:mini"),
                    "checkpoint");
    }
    return {(fs::path(resourcesFolder) / kMini / "model").string(), std::string(kMini)};
}

/// Absolute, without "..", "." and a separator at the end: one text for one folder.
std::string plainPath(const fs::path& path) {
    const fs::path plain = fs::absolute(path).lexically_normal();
    return (plain.has_filename() ? plain : plain.parent_path()).string();
}

/// The last part, or the name of the repository whose snapshot it is.
std::string nameAfterFolder(const std::string& path) {
    const std::string repository = files::hubName(files::folderOf(files::folderOf(path)));
    return files::lastPart(repository.empty() ? path : repository);
}

using FolderNames = std::vector<const char*>;

/// What a user may name, as messages call it, and the folders that ComfyUI and A1111 have for it.
struct SearchedKind {
    std::string_view item;
    Message what;
    FolderNames folders;
};

/// Of a whole checkpoint where the item is no part of one. Adapters and their kin have folders of
/// their own and are called as their item.
SearchedKind searchedKind(const char* item) {
    const FolderNames denoisers = {"unet", "diffusion_models", "Stable-diffusion"};
    const FolderNames autoencoders = {"vae", "VAE"};
    const SearchedKind kinds[] = {
        {"unet", phrase("denoiser"), denoisers},
        {"diffusion_model", phrase("diffusion model"), denoisers},
        {"low_noise", phrase("low-noise model"), denoisers},
        {"vae", phrase("autoencoder"), autoencoders},
        {"autoencoder", phrase("autoencoder"), autoencoders},
        {"text_encoder", phrase("text encoder"), {"text_encoders", "clip"}},
        {"image_encoder", phrase("image encoder"), {"clip_vision"}},
        {"upscaler", phrase("upscaler"), {"upscale_models", "ESRGAN", "RealESRGAN"}}};
    const auto* found = std::find_if(
        std::begin(kinds), std::end(kinds), [&](const auto& kind) { return kind.item == item; });
    return found == std::end(kinds)
               ? SearchedKind{item, Message(item), {"checkpoints", "Stable-diffusion"}}
               : *found;
}

[[noreturn]] void refusePath(const std::string& typed, size_t folderCount, const char* item) {
    const Message what = searchedKind(item).what;
    throw Error(ErrorKind::NotFound,
                fs::path(typed).is_absolute() ? message("there is no {} \"{}\"", what, typed)
                : folderCount == 0
                    ? message("there is no {} \"{}\" next to the graph", what, typed)
                    : message("there is no {} \"{}\" next to the graph and in {} model folders",
                              what,
                              typed,
                              folderCount),
                message("choose one that is there, give the full path of this one, or add its "
                        "folder to the model folders"),
                item);
}

/// Nothing where no folder has it.
std::optional<CheckpointPath> foundIn(const std::vector<fs::path>& candidates,
                                      const std::string& typed) {
    for (const fs::path& folder : candidates) {
        if (const std::optional<std::string> path = files::pathBelow(folder.string(), typed)) {
            const std::string plain = plainPath(*path);
            return CheckpointPath{plain, nameAfterFolder(plain)};
        }
    }
    return std::nullopt;
}

/// Where a name may lie: `own` are folders next to the graph and in model folders that hold such
/// files alone.
std::vector<fs::path> searchedPaths(const std::string& typed,
                                    std::string_view graphFolder,
                                    std::span<const std::string> modelFolders,
                                    const FolderNames& own) {
    if (fs::path(typed).is_absolute()) {
        return {fs::path()};
    }
    std::vector<fs::path> candidates;
    if (typed.empty()) {
        return candidates;
    }
    std::vector<fs::path> folders = {graphFolder};
    folders.insert(folders.end(), modelFolders.begin(), modelFolders.end());
    for (const fs::path& folder : folders) {
        candidates.push_back(folder);
        for (const char* name : own) {
            candidates.push_back(folder / name);
        }
    }
    return candidates;
}

CheckpointPath findOfKind(std::string_view typedText,
                          std::string_view graphFolder,
                          std::span<const std::string> modelFolders,
                          const FolderNames& own,
                          const char* what) {
    const std::string typed = trim(typedText);
    const std::vector<fs::path> candidates = searchedPaths(typed, graphFolder, modelFolders, own);
    for (const char* ending : {"", ".safetensors"}) {
        if (std::optional<CheckpointPath> found = foundIn(candidates, typed + ending)) {
            return *std::move(found);
        }
    }
    refusePath(typed, modelFolders.size(), what);
}

}  // namespace

CheckpointPath findCheckpoint(std::string_view typedText,
                              std::string_view graphFolder,
                              const std::string& resourcesFolder,
                              std::span<const std::string> modelFolders,
                              const char* item) {
    const std::string typed = trim(typedText);
    if (typed.starts_with(kBuiltin)) {
        return builtin(std::string_view(typed).substr(kBuiltin.size()), resourcesFolder);
    }
    const std::vector<fs::path> candidates =
        searchedPaths(typed, graphFolder, modelFolders, searchedKind(item).folders);
    if (std::optional<CheckpointPath> found = foundIn(candidates, typed)) {
        return *std::move(found);
    }
    refusePath(typed, modelFolders.size(), item);
}

CheckpointPath findAdapter(std::string_view typed,
                           std::string_view graphFolder,
                           std::span<const std::string> modelFolders) {
    return findOfKind(typed, graphFolder, modelFolders, {"loras", "Lora"}, "LoRA");
}

CheckpointPath findControlNet(std::string_view typed,
                              std::string_view graphFolder,
                              std::span<const std::string> modelFolders) {
    return findOfKind(typed,
                      graphFolder,
                      modelFolders,
                      {"controlnet", "t2i_adapter", "ControlNet"},
                      "ControlNet");
}

CheckpointPath findIpAdapter(std::string_view typed,
                             std::string_view graphFolder,
                             std::span<const std::string> modelFolders) {
    return findOfKind(typed, graphFolder, modelFolders, {"ipadapter", "ip_adapter"}, "IP-Adapter");
}

CheckpointPath findImageEncoder(std::string_view typed,
                                std::string_view graphFolder,
                                std::span<const std::string> modelFolders) {
    return findOfKind(typed, graphFolder, modelFolders, {"clip_vision"}, "image encoder");
}

}  // namespace lowtide::models
