#include "plugin/models/walk/walked_upscaler.hpp"

namespace lowtide::models {

at::Tensor WalkedUpscaler::enlarge(StageContext& context, const at::Tensor& pixels) const {
    return walk_.passOver(
        *tree(), pixels.sizes(), [&] { return upscaler_.enlarge(context, pixels); });
}

}  // namespace lowtide::models
