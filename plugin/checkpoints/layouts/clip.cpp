#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_settings.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kClipTokens = "text_model.embeddings.token_embedding.weight";
constexpr const char* kClipProjection = "text_projection.weight";
/// OpenCLIP's ViT-H and ViT-bigG, which activate by GELU, are wider than OpenAI's ViT-L.
constexpr int64_t kNarrowestOpenClip = 1024;

double detectClipText(const ModelSource& source) {
    return source.header && source.header->map.tensors.contains(kClipTokens) ? 0.3 : 0;
}

std::unique_ptr<Checkpoint> openClipText(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    const auto settings = [file] {
        const TensorView tensors(file->map,
                                 [](std::string_view name) { return std::string(name); });
        const bool isOpenClip = tensors.size(kClipTokens, 1) >= kNarrowestOpenClip;
        Json stated = textEncoderSettings(tensors, isOpenClip);
        if (tensors.has(kClipProjection)) {
            stated["projection_dim"] = tensors.size(kClipProjection, 0);
        }
        return stated;
    };
    const bool isProjected = file->map.tensors.contains(kClipProjection);
    FileParts parts;
    parts.networks["text_encoder"] = {
        .className = isProjected ? "CLIPTextModelWithProjection" : "CLIPTextModel",
        .settings = settings,
        .weights = [file] { return wholeMap(file->map); },
        .check = checkTextConstants};
    const bool isOpenClip = file->map.tensors.at(kClipTokens).shape.back() >= kNarrowestOpenClip;
    parts.tokenizers["tokenizer"] = {.encoder = "text_encoder",
                                     .padding = isOpenClip ? "!" : "<|endoftext|>"};
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelClipText(Checkpoint& opened) {
    constexpr int64_t kLarge = 768;
    constexpr int64_t kBigG = 1280;
    const char* file = "text_encoder/config.json";
    const Json settings = opened.readJson(file);
    const int64_t width =
        JsonReader(settings, opened.name() + "/" + file).integer("hidden_size").value_or(0);
    return width == kLarge  ? "CLIP-L"
           : width == kBigG ? "CLIP-G"
                            : "CLIP, " + std::to_string(width) + " wide";
}

}  // namespace

/// CLIP's text encoder alone, in the names of transformers: clip_l, clip_g, those with a
/// projection.
const Layout& clip_text() {
    static const Layout layout{.name = "clip_text",
                               .component = "text_encoder",
                               .kind = "text_encoder",
                               .use = phrase("choose it in Load text encoders"),
                               .detect = detectClipText,
                               .open = openClipText,
                               .label = labelClipText};
    return layout;
}

namespace {

double detectClipVision(const ModelSource& source) {
    const bool isTower = source.header && hasUnder(source.header->map, "vision_model.embeddings.");
    return isTower ? 0.4 : 0;
}

std::unique_ptr<Checkpoint> openClipVision(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    FileParts parts;
    parts.networks["image_encoder"] = {.className = "CLIPVisionModelWithProjection",
                                       .settings = [file] { return clipVisionSettings(file->map); },
                                       .weights = [file] { return wholeMap(file->map); },
                                       .check = checkVisionHeads};
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelClipVision(Checkpoint& opened) {
    constexpr int64_t kHuge = 1280;
    constexpr int64_t kBig = 1664;
    const char* file = "image_encoder/config.json";
    const Json settings = opened.readJson(file);
    const int64_t width =
        JsonReader(settings, opened.name() + "/" + file).integer("hidden_size").value_or(0);
    return width == kHuge  ? "CLIP ViT-H"
           : width == kBig ? "CLIP ViT-bigG"
                           : "CLIP, " + std::to_string(width) + " wide";
}

}  // namespace

/// CLIP's image encoder alone, in the names of transformers (clip_vision_h).
const Layout& clip_vision() {
    static const Layout layout{
        .name = "clip_vision",
        .component = "image_encoder",
        .kind = "image_encoder",
        .use = phrase("choose it in Load image encoder, or in Load IP-Adapter"),
        .detect = detectClipVision,
        .open = openClipVision,
        .label = labelClipVision};
    return layout;
}

}  // namespace lowtide::models
