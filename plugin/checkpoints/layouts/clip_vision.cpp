#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/clip_vision_settings.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"

#include <utility>

namespace lowtide::models {

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
    static const Layout layout{.name = "clip_vision",
                               .component = "image_encoder",
                               .kind = "image_encoder",
                               .use = "choose it in Load image encoder, or in Load IP-Adapter",
                               .detect = detectClipVision,
                               .open = openClipVision,
                               .label = labelClipVision};
    return layout;
}

}  // namespace lowtide::models
