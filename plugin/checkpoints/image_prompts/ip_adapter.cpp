#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"

#include <map>
#include <utility>

namespace lowtide::models {

ComponentDesc imageEncoderComponent() {
    return {.role = std::string(kImageEncoder), .label = "Image encoder"};
}

ComponentDesc imageProjectionComponent() {
    return {.role = std::string(kImageProjection), .label = "Image projection"};
}

IpAdapter::IpAdapter(std::string name, IpAdapterFile file, const ImageEncoderFile& encoder)
    : name_(std::move(name)),
      file_(std::move(file)),
      encoder_(
          encoder.config,
          encoder.weights,
          kImageEncoder,
          file_.projection.isResampler ? ClipVisionState::Penultimate : ClipVisionState::Pooled),
      projection_(file_.projection, file_.projectionWeights, kImageProjection),
      files_(file_.files) {
    files_.insert(files_.end(), encoder.weights.files.begin(), encoder.weights.files.end());
}

std::vector<ComponentDesc> IpAdapter::components() const {
    return {imageEncoderComponent(), imageProjectionComponent()};
}

std::shared_ptr<const memory::ComponentTree> IpAdapter::tree(std::string_view role) const {
    return role == kImageEncoder      ? encoder_.tree()
           : role == kImageProjection ? projection_.tree()
                                      : nullptr;
}

std::shared_ptr<const memory::ComponentTree> IpAdapter::openedTree(std::string_view role) const {
    return tree(role);
}

const memory::FamilyPrecision& IpAdapter::precisions() const {
    static const memory::FamilyPrecision stated = [] {
        const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
        const memory::ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
        const auto ofBoth = [](const memory::ComponentPreset& preset) {
            return std::map<std::string, memory::ComponentPreset>{
                {std::string(kImageEncoder), preset}, {std::string(kImageProjection), preset}};
        };
        // Norms and embeddings are small and sensitive.
        return memory::FamilyPrecision{
            .presets = {{"quality", ofBoth(exact)},
                        {"balanced", ofBoth(half)},
                        {"speed", ofBoth(half)}},
            .keptF32 = {},
            .keptFromF8 = {{std::string(kImageEncoder), {"norm", "embedding"}},
                           {std::string(kImageProjection), {"norm", "latents"}}},
            .mayOverflow = {}};
    }();
    return stated;
}

}  // namespace lowtide::models
