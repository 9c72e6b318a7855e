#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace lowtide::ui {

/// A file of weights, or a folder in the diffusers layout, below a folder of models.
struct WalkedModel {
    std::string path;
    std::string relative;  ///< from that folder, as a graph may name it: "org/name" in a cache
    bool isFolder = false;
};

/// Looks through folders, at most eight levels deep, each real folder once; links are followed. Of
/// a model in several files the first one stands for all.
class ModelWalk {
public:
    /// `isWeights` of a file; `visit` says whether to go on.
    ModelWalk(std::function<bool(const std::filesystem::path&)> isWeights,
              std::function<bool(const WalkedModel&)> visit)
        : isWeights_(std::move(isWeights)), visit_(std::move(visit)) {}

    /// False where `visit` ended it.
    bool look(const std::string& folder) { return enter(folder, {}, 0); }

private:
    bool enter(const std::filesystem::path& folder,
               const std::filesystem::path& relative,
               int depth);

    std::function<bool(const std::filesystem::path&)> isWeights_;
    std::function<bool(const WalkedModel&)> visit_;
    std::set<std::filesystem::path> visited_;
};

/// By its ending: .safetensors, .gguf, .ckpt, .pth or .pt.
[[nodiscard]] bool hasWeightsEnding(const std::filesystem::path& path);

}  // namespace lowtide::ui
