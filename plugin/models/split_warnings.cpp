#include "plugin/models/split_warnings.hpp"

#include "plugin/models/image_prompts/ip_adapter.hpp"
#include "plugin/models/single_file/wan_names.hpp"
#include "plugin/models/split_checkpoint.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

/// WAN 2.2's by name, or by what it takes: 2.1's sees the picture that a video begins with.
bool isOneOfTwo(const ModelInfo& info) {
    const bool isPictureOf22 = info.guideChannels > 0 && info.seenPicture.empty();
    return info.family == "wan" && info.secondDenoiser.empty() &&
           (isPictureOf22 || isHighNoise(info.denoiser));
}

}  // namespace

Issues splitWarnings(const Model& model, const memory::WireRef& imageEncoder) {
    Issues warnings;
    const ModelInfo& info = model.info();
    if (isOneOfTwo(info)) {
        const bool isLow = isHighNoise(info.denoiser) == false;
        warnings.push_back(
            {.severity = Severity::Warning,
             .code = "one_of_two_models",
             .item = isLow ? "file" : kLowNoiseItem,
             .message = info.denoiser + " is one of the two models of WAN 2.2, and runs alone here",
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
