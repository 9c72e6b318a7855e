#include "nodes/engine/image_prompts.hpp"

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>

namespace lowtide::nodes {

Bytes ImagePrompts::bytesOn(std::string_view deviceId) const {
    Bytes bytes = 0;
    for (const ImagePromptEntry& entry : entries_) {
        bytes += tensor::bytesOn(entry.tokens, deviceId) + tensor::bytesOn(entry.mask, deviceId);
    }
    return bytes;
}

memory::WireRef ImagePrompts::onHost() const {
    std::vector<ImagePromptEntry> entries = entries_;
    for (ImagePromptEntry& entry : entries) {
        for (at::Tensor* held : {&entry.tokens, &entry.mask}) {
            *held = held->defined() ? tensor::spill(*held) : *held;
        }
    }
    return std::make_shared<const ImagePrompts>(std::move(entries));
}

std::optional<std::string> ImagePrompts::specKey() const {
    Json key = Json::array();
    for (const ImagePromptEntry& entry : entries_) {
        key.push_back({indexOf(entry),
                       toJson(entry.settings.influence),
                       entry.settings.weights,
                       entry.tokensShape,
                       entry.maskShape});
    }
    return key.dump();
}

std::vector<std::shared_ptr<const models::IpAdapter>> ImagePrompts::adapters() const {
    std::vector<std::shared_ptr<const models::IpAdapter>> adapters;
    for (const ImagePromptEntry& entry : entries_) {
        if (std::find(adapters.begin(), adapters.end(), entry.adapter) == adapters.end()) {
            adapters.push_back(entry.adapter);
        }
    }
    return adapters;
}

size_t ImagePrompts::indexOf(const ImagePromptEntry& entry) const {
    const auto all = adapters();
    const auto found = std::find(all.begin(), all.end(), entry.adapter);
    LOWTIDE_ASSERT(found != all.end());
    return static_cast<size_t>(found - all.begin());
}

std::string describedImagePrompt(const ImagePromptEntry& entry) {
    const ImagePromptSettings& settings = entry.settings;
    std::string text = "Pictures: " + std::to_string(entry.images()) +
                       ", Weight: " + formatNumber(settings.influence.strength) +
                       ", Guidance Start: " + formatNumber(settings.influence.start) +
                       ", Guidance End: " + formatNumber(settings.influence.end);
    if (!settings.weights.empty()) {
        std::vector<std::string> weights;
        for (const double weight : settings.weights) {
            weights.push_back(formatNumber(weight));
        }
        text += ", Picture Weights: " + join(weights, " ");
    }
    return text + (entry.maskShape.empty() ? "" : ", Masked: yes");
}

const ImagePrompts* imagePromptsIn(const memory::WireRef& value) {
    const auto* prompts = dynamic_cast<const ImagePrompts*>(meantBy(value).get());
    if (value && !prompts) {
        throw Error(ErrorKind::InvalidInput,
                    message("the input image_prompt holds no images to follow"),
                    message("connect a node Apply IP-Adapter"),
                    "image_prompt");
    }
    return prompts;
}

}  // namespace lowtide::nodes
