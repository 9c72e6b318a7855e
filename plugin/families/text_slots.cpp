#include "plugin/families/text_slots.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/renamed_checkpoint.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::models {

namespace {

/// OpenCLIP's ViT-bigG, which is alone where its slot is not the only one of its class.
constexpr int64_t kWidestClip = 1280;

int64_t textWidthOf(Checkpoint& encoder) {
    const char* file = "text_encoder/config.json";
    const Json settings = encoder.readJson(file);
    const JsonReader reader(settings, encoder.name() + "/" + file);
    return reader.integer("hidden_size").value_or(reader.integer("d_model").value_or(0));
}

std::vector<const TextSlot*> slotsFor(const Family& family, const std::string& className) {
    std::vector<const TextSlot*> slots;
    for (const TextSlot& slot : family.texts) {
        if (std::find(slot.classes.begin(), slot.classes.end(), className) != slot.classes.end()) {
            slots.push_back(&slot);
        }
    }
    return slots;
}

[[noreturn]] void refuseText(const Checkpoint& encoder,
                             const std::string& className,
                             const Family& family,
                             bool isTaken) {
    std::vector<std::string> classes;
    for (const TextSlot& slot : family.texts) {
        classes.push_back(slot.classes.front());
    }
    throw Error(ErrorKind::Unsupported,
                encoder.name() + " is a " + className + (isTaken ? ", one more than " : ", and ") +
                    family.name + " reads" + (isTaken ? "" : " " + join(classes, ", ")),
                "connect the text encoders of the diffusion model",
                kTextPart);
}

}  // namespace

CheckpointParts textInSlot(std::shared_ptr<Checkpoint> encoder,
                           const std::string& component,
                           const std::string& tokenizer) {
    const auto shown = std::make_shared<RenamedCheckpoint>(
        std::move(encoder),
        std::map<std::string, std::string, std::less<>>{{component, kTextPart},
                                                        {tokenizer, kTokenizerPart}});
    return {{component, shown}, {tokenizer, shown}};
}

CheckpointParts textsInSlots(std::vector<std::shared_ptr<Checkpoint>> encoders,
                             const Family& family) {
    CheckpointParts parts;
    std::erase_if(encoders, [&](const std::shared_ptr<Checkpoint>& whole) {
        for (const TextSlot& slot : family.texts) {
            if (!whole->pipelineClass().empty() && !whole->componentClass(slot.component).empty()) {
                parts.emplace(slot.component, whole);
                parts.emplace(slot.tokenizer, whole);
            }
        }
        return !whole->pipelineClass().empty();
    });
    std::stable_sort(encoders.begin(), encoders.end(), [](const auto& a, const auto& b) {
        return textWidthOf(*a) < textWidthOf(*b);
    });
    std::map<std::string, std::vector<std::shared_ptr<Checkpoint>>> byClass;
    for (const auto& encoder : encoders) {
        byClass[encoder->componentClass(kTextPart)].push_back(encoder);
    }
    for (const auto& [className, own] : byClass) {
        const std::vector<const TextSlot*> slots = slotsFor(family, className);
        if (own.size() > slots.size()) {
            refuseText(*own.back(), className, family, !slots.empty());
        }
        const bool isWidest = own.size() < slots.size() && textWidthOf(*own.front()) >= kWidestClip;
        const size_t first = isWidest ? slots.size() - own.size() : 0;
        for (size_t i = 0; i < own.size(); ++i) {
            const TextSlot& slot = *slots[first + i];
            if (parts.contains(slot.component)) {
                refuseText(*own[i], className, family, true);
            }
            parts.merge(textInSlot(own[i], slot.component, slot.tokenizer));
        }
    }
    return parts;
}

}  // namespace lowtide::models
