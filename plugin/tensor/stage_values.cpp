#include "plugin/tensor/stage_values.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::tensor {

namespace {

Bytes carryBytesOn(const SamplerCarry* carry, std::string_view deviceId) {
    if (!carry) {
        return 0;
    }
    Bytes bytes = bytesOn(carry->generator, deviceId);
    for (const at::Tensor& entry : carry->history) {
        bytes += bytesOn(entry, deviceId);
    }
    return bytes;
}

std::shared_ptr<const SamplerCarry> carryOnHost(const std::shared_ptr<const SamplerCarry>& carry) {
    if (!carry) {
        return nullptr;
    }
    auto host = std::make_shared<SamplerCarry>(*carry);
    for (at::Tensor& entry : host->history) {
        entry = spill(entry);
    }
    return host;
}

Bytes imageConditioningBytesOn(const ImageConditioning* imageConditioning,
                               std::string_view deviceId) {
    return imageConditioning ? bytesOn(imageConditioning->extraChannels, deviceId) +
                                   bytesOn(imageConditioning->visionEmbeds, deviceId)
                             : 0;
}

std::shared_ptr<const ImageConditioning> imageConditioningOnHost(
    const std::shared_ptr<const ImageConditioning>& imageConditioning) {
    return imageConditioning ? std::make_shared<const ImageConditioning>(ImageConditioning{
                                   .extraChannels = spill(imageConditioning->extraChannels),
                                   .visionEmbeds = spill(imageConditioning->visionEmbeds)})
                             : nullptr;
}

}  // namespace

void Provenance::set(const std::string& key, std::string value) {
    const auto found = std::find_if(
        fields.begin(), fields.end(), [&](const auto& field) { return field.first == key; });
    if (found == fields.end()) {
        fields.emplace_back(key, std::move(value));
    } else {
        found->second = std::move(value);
    }
}

Provenance Provenance::ofImage(size_t index) const {
    Provenance own{.prompt = prompt, .negative = negative, .fields = fields, .rate = rate};
    if (index < ofImages.size()) {
        for (const auto& [key, value] : ofImages[index]) {
            own.set(key, value);
        }
    }
    return own;
}

Conditioning::Conditioning(at::Tensor embeds, at::Tensor pooled, std::string prompt, int clipSkip)
    : entries_(1), prompt_(std::move(prompt)), clipSkip_(clipSkip) {
    const auto add = [&](const char* name, FieldKind kind, at::Tensor tensor) {
        fields_.push_back({.name = name, .kind = kind, .width = tensor.size(-1)});
        entries_.front().tensors.emplace(name, std::move(tensor));
    };
    add(kEmbeds, FieldKind::Sequence, std::move(embeds));
    if (pooled.defined()) {
        add(kPooled, FieldKind::Vector, std::move(pooled));
    }
}

Conditioning::Conditioning(ConditioningFields fields,
                           std::vector<ConditioningEntry> entries,
                           std::string prompt,
                           int clipSkip,
                           std::vector<std::string> otherPrompts,
                           std::vector<std::string> embeddings)
    : fields_(std::move(fields)),
      entries_(std::move(entries)),
      prompt_(std::move(prompt)),
      otherPrompts_(std::move(otherPrompts)),
      embeddings_(std::move(embeddings)),
      clipSkip_(clipSkip) {
    LOWTIDE_ASSERT(!entries_.empty());
    while (!otherPrompts_.empty() && otherPrompts_.back().empty()) {
        otherPrompts_.pop_back();
    }
}

at::Tensor Conditioning::tensor(std::string_view name) const {
    const auto found = entries_.front().tensors.find(name);
    return found == entries_.front().tensors.end() ? at::Tensor() : found->second;
}

Bytes Conditioning::bytesOn(std::string_view deviceId) const {
    Bytes bytes = 0;
    for (const ConditioningEntry& entry : entries_) {
        for (const auto& [name, tensor] : entry.tensors) {
            bytes += tensor::bytesOn(tensor, deviceId);
        }
    }
    return bytes;
}

memory::WireRef Conditioning::onHost() const {
    std::vector<ConditioningEntry> host = entries_;
    for (ConditioningEntry& entry : host) {
        for (auto& [name, tensor] : entry.tensors) {
            tensor = spill(tensor);
        }
    }
    return std::make_shared<Conditioning>(
        fields_, std::move(host), prompt_, clipSkip_, otherPrompts_, embeddings_);
}

void addEmbeddings(std::vector<std::string>& embeddings, const std::vector<std::string>& others) {
    for (const std::string& other : others) {
        if (std::find(embeddings.begin(), embeddings.end(), other) == embeddings.end()) {
            embeddings.push_back(other);
        }
    }
}

std::shared_ptr<const ImageConditioning> copyOf(
    const std::shared_ptr<const ImageConditioning>& imageConditioning, c10::Device device) {
    if (!imageConditioning) {
        return nullptr;
    }
    const auto copied = [&](const at::Tensor& from) {
        const at::Tensor there = upload(from, device);
        return there.defined() && there.is_alias_of(from) ? there.clone() : there;
    };
    return std::make_shared<const ImageConditioning>(
        ImageConditioning{.extraChannels = copied(imageConditioning->extraChannels),
                          .visionEmbeds = copied(imageConditioning->visionEmbeds)});
}

Latents::Latents(at::Tensor samples,
                 Provenance provenance,
                 std::shared_ptr<const SamplerCarry> carry,
                 at::Tensor deviation,
                 std::shared_ptr<const ImageConditioning> imageConditioning)
    : samples_(std::move(samples)),
      provenance_(std::move(provenance)),
      carry_(std::move(carry)),
      deviation_(std::move(deviation)),
      imageConditioning_(std::move(imageConditioning)) {}

Bytes Latents::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(samples_, deviceId) + tensor::bytesOn(deviation_, deviceId) +
           carryBytesOn(carry_.get(), deviceId) +
           imageConditioningBytesOn(imageConditioning_.get(), deviceId);
}

memory::WireRef Latents::onHost() const {
    return std::make_shared<Latents>(spill(samples_),
                                     provenance_,
                                     carryOnHost(carry_),
                                     spill(deviation_),
                                     imageConditioningOnHost(imageConditioning_));
}

Bytes EmptyLatents::bytesOn(std::string_view deviceId) const {
    return imageConditioningBytesOn(imageConditioning_.get(), deviceId);
}

memory::WireRef EmptyLatents::onHost() const {
    return std::make_shared<EmptyLatents>(
        size_, batch_, rate_, imageConditioningOnHost(imageConditioning_));
}

Images::Images(at::Tensor pixels, Provenance provenance)
    : pixels_(std::move(pixels)), provenance_(std::move(provenance)) {}

Bytes Images::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(pixels_, deviceId);
}

memory::WireRef Images::onHost() const {
    return std::make_shared<Images>(spill(pixels_), provenance_);
}

Masks::Masks(at::Tensor values) : values_(std::move(values)) {}

Bytes Masks::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(values_, deviceId);
}

memory::WireRef Masks::onHost() const {
    return std::make_shared<Masks>(spill(values_));
}

}  // namespace lowtide::tensor
