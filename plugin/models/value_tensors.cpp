#include "plugin/models/value_tensors.hpp"

#include "plugin/models/controls/controls.hpp"
#include "plugin/models/image_prompts/image_prompts.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {

namespace {

/// Those that are defined and hold floating numbers.
class FloatingTensors {
public:
    void add(const at::Tensor& value) {
        if (value.defined() && value.is_floating_point()) {
            tensors_.push_back(value);
        }
    }

    void add(const tensor::VideoGuide* guide) {
        if (guide) {
            add(guide->beside);
            add(guide->seen);
        }
    }

    void add(const tensor::Conditioning& conditioning) {
        for (const tensor::ConditioningEntry& entry : conditioning.entries()) {
            for (const auto& [name, value] : entry.tensors) {
                add(value);
            }
        }
    }

    void add(const tensor::Latents& latents) {
        add(latents.samples());
        add(latents.deviation());
        add(latents.guide().get());
        if (latents.carry()) {
            for (const at::Tensor& entry : latents.carry()->history) {
                add(entry);
            }
        }
    }

    [[nodiscard]] std::vector<at::Tensor> take() { return std::move(tensors_); }

private:
    std::vector<at::Tensor> tensors_;
};

}  // namespace

std::vector<at::Tensor> tensorsOf(const memory::WireRef& value) {
    FloatingTensors tensors;
    const memory::WireValue* held = value.get();
    if (const auto* conditioning = dynamic_cast<const tensor::Conditioning*>(held)) {
        tensors.add(*conditioning);
    } else if (const auto* latents = dynamic_cast<const tensor::Latents*>(held)) {
        tensors.add(*latents);
    } else if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(held)) {
        tensors.add(empty->guide().get());
    } else if (const auto* images = dynamic_cast<const tensor::Images*>(held)) {
        tensors.add(images->pixels());
    } else if (const auto* masks = dynamic_cast<const tensor::Masks*>(held)) {
        tensors.add(masks->values());
    } else if (const auto* controls = dynamic_cast<const Controls*>(held)) {
        for (const ControlEntry& entry : controls->entries()) {
            tensors.add(entry.hint);
        }
    } else if (const auto* prompts = dynamic_cast<const ImagePrompts*>(held)) {
        for (const ImagePromptEntry& entry : prompts->entries()) {
            tensors.add(entry.tokens);
            tensors.add(entry.mask);
        }
    }
    return tensors.take();
}

}  // namespace lowtide::models
