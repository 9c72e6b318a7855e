#include "plugin/checkpoints/known_files.hpp"

#include "plugin/checkpoints/upscalers/upscaler_type.hpp"

namespace lowtide::models {

std::optional<KnownFile> knownFile(const WeightMap& file) {
    for (const UpscalerType* type : upscalerTypes()) {
        if (type->detect(file)) {
            return KnownFile{.kind = "upscaler", .family = type->name, .isUpscaler = true};
        }
    }
    return knownByNames(file);
}

}  // namespace lowtide::models
