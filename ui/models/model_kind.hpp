#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::ui {

/// What a file of weights is to a graph.
enum class ModelKind {
    Checkpoint,
    Denoiser,
    DiffusionModel,
    TextEncoder,
    Autoencoder,
    Upscaler,
    Lora,
    ControlNet,
    IpAdapter,
    ImageEncoder,
    Embedding,
    Other
};

/// A model as a graph names it.
struct NamedModel {
    ModelKind kind = ModelKind::Checkpoint;
    std::string value;
};

/// A parameter that names files of weights.
struct ModelParam {
    std::string nodeType;
    std::string param;

    bool operator==(const ModelParam&) const = default;
};

/// By the name that the module gives it; Other: it has no place in a graph.
[[nodiscard]] ModelKind modelKindNamed(std::string_view name);
/// The parameter that takes such files, the first of several; nothing: no node does (embeddings are
/// named in prompts).
[[nodiscard]] std::optional<ModelParam> paramOf(ModelKind kind);
/// The reverse.
[[nodiscard]] std::optional<ModelKind> kindFor(const ModelParam& param);

/// By the ending, also of formats that are not read: whether somebody means weights.
[[nodiscard]] bool isModelName(std::string_view path);

/// A folder's name that suggests what lies in it.
struct KindFolder {
    const char* name;
    ModelKind kind;
    bool isOfComfy;  ///< else of Automatic1111's web UI
};

[[nodiscard]] std::span<const KindFolder> kindFolders();

}  // namespace lowtide::ui
