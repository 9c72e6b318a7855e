#include "plugin/tensor/stage_values.hpp"

#include "plugin/tensor/crossing.hpp"

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

Conditioning::Conditioning(at::Tensor embeds, at::Tensor pooled, std::string prompt, int clipSkip)
    : embeds_(std::move(embeds)),
      pooled_(std::move(pooled)),
      prompt_(std::move(prompt)),
      clipSkip_(clipSkip) {}

Bytes Conditioning::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(embeds_, deviceId) + tensor::bytesOn(pooled_, deviceId);
}

memory::WireRef Conditioning::onHost() const {
    return std::make_shared<Conditioning>(spill(embeds_), spill(pooled_), prompt_, clipSkip_);
}

Latents::Latents(at::Tensor samples,
                 Provenance provenance,
                 std::shared_ptr<const SamplerCarry> carry)
    : samples_(std::move(samples)), provenance_(std::move(provenance)), carry_(std::move(carry)) {}

Bytes Latents::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(samples_, deviceId) + carryBytesOn(carry_.get(), deviceId);
}

memory::WireRef Latents::onHost() const {
    return std::make_shared<Latents>(spill(samples_), provenance_, carryOnHost(carry_));
}

Images::Images(at::Tensor pixels, Provenance provenance)
    : pixels_(std::move(pixels)), provenance_(std::move(provenance)) {}

Bytes Images::bytesOn(std::string_view deviceId) const {
    return tensor::bytesOn(pixels_, deviceId);
}

memory::WireRef Images::onHost() const {
    return std::make_shared<Images>(spill(pixels_), provenance_);
}

}  // namespace lowtide::tensor
