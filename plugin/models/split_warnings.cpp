#include "plugin/models/split_warnings.hpp"

#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/checkpoints/split_checkpoint.hpp"

#include <algorithm>

namespace lowtide::models {

Issues splitWarnings(const Model& model, const memory::WireRef& imageEncoder) {
    Issues warnings;
    const ModelInfo& info = model.info();
    if (info.half) {
        const bool isLow = info.half->isLow;
        warnings.push_back(
            {.severity = Severity::Warning,
             .code = "one_of_two_models",
             .item = isLow ? "file" : kLowNoiseItem,
             .message = info.denoiser + " is one of the two models of " + info.half->of +
                        ", and runs alone here",
             .hint = isLow ? "choose the high-noise model as Diffusion model, and this file as "
                             "Low-noise model"
                           : "choose the low-noise model as Low-noise model"});
    }
    const std::vector<ComponentDesc> components = model.components();
    const bool sees = std::any_of(components.begin(), components.end(), [](const auto& each) {
        return each.role == kImageEncoder;
    });
    if (imageEncoder && !sees) {
        warnings.push_back({.severity = Severity::Warning,
                            .code = "image_encoder_not_used",
                            .item = "image_encoder",
                            .message = info.denoiser + " looks at no picture: the image encoder is "
                                                       "not used",
                            .hint = "disconnect it"});
    }
    return warnings;
}

}  // namespace lowtide::models
