#pragma once

#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::tensor {

/// Where an image came from, for its metadata: ordered as A1111 writes it ("Steps", "Sampler",
/// "CFG scale", ...).
struct Provenance {
    using Fields = std::vector<std::pair<std::string, std::string>>;

    std::string prompt;
    std::string negative;
    Fields fields;
    /// Fields of single images of a batch in addition to `fields`, or instead; empty: they are
    /// alike.
    std::vector<Fields> ofImages{};
    double rate = 0;  ///< frames a second where the images are those of a video; 0: they are not

    /// Replaces the field or appends it.
    void set(const std::string& key, std::string value);
    /// The fields of one image: its own among those of all.
    [[nodiscard]] Provenance ofImage(size_t index) const;
};

/// One encoded prompt, in f32: what its family states, as far as it has it.
struct ConditioningEntry {
    /// By the names of the fields, and kPromptMask.
    std::map<std::string, at::Tensor, std::less<>> tensors;
    NamedNumbers numbers{};
    ConditioningScope scope{};
};

/// What the denoiser shall follow: one encoded prompt, or several of which each speaks somewhere,
/// at some time, with some strength.
class Conditioning final : public memory::WireValue {
public:
    /// One prompt of one CLIP text encoder, everywhere and always: embeds [1, T, D], and pooled
    /// [1, P] or undefined.
    Conditioning(at::Tensor embeds, at::Tensor pooled, std::string prompt, int clipSkip);
    /// At least one entry. `otherPrompts`, `embeddings`: see there.
    Conditioning(ConditioningFields fields,
                 std::vector<ConditioningEntry> entries,
                 std::string prompt,
                 int clipSkip,
                 std::vector<std::string> otherPrompts = {},
                 std::vector<std::string> embeddings = {});

    [[nodiscard]] std::string_view type() const override { return "CONDITIONING"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;

    /// What its family states of the entries' tensors.
    [[nodiscard]] const ConditioningFields& fields() const { return fields_; }

    [[nodiscard]] const std::vector<ConditioningEntry>& entries() const { return entries_; }

    /// Of the first entry; undefined: it has none of that name.
    [[nodiscard]] at::Tensor tensor(std::string_view name) const;

    /// The texts, for an image's metadata.
    [[nodiscard]] const std::string& prompt() const { return prompt_; }

    /// What the second text encoder and those behind it read instead, the last of them not empty;
    /// an empty text, or none: the same.
    [[nodiscard]] const std::vector<std::string>& otherPrompts() const { return otherPrompts_; }

    /// The textual inversions that the texts named, each as "name: hash".
    [[nodiscard]] const std::vector<std::string>& embeddings() const { return embeddings_; }

    /// Layers left out at the end of the text encoder; -1: as the family does it.
    [[nodiscard]] int clipSkip() const { return clipSkip_; }

private:
    ConditioningFields fields_;
    std::vector<ConditioningEntry> entries_;
    std::string prompt_;
    std::vector<std::string> otherPrompts_;
    std::vector<std::string> embeddings_;
    int clipSkip_;
};

/// Appends those of `others` that are not there yet.
void addEmbeddings(std::vector<std::string>& embeddings, const std::vector<std::string>& others);

/// What a sampler must know to continue where another pass stopped: its history and the generator.
/// The next pass continues bit for bit when network, sampler, schedule and step agree.
struct SamplerCarry {
    std::string schedule;  ///< network, scheduler file, choices as one text; equal or not used
    int step = 0;          ///< the step that comes next
    std::vector<at::Tensor> history;
    std::vector<double> scalars;
    at::Tensor generator;  ///< state of the CPU generator, uint8; [B, bytes] of several
};

/// Images that a video goes through, as its model reads them.
struct ImageConditioning {
    at::Tensor extraChannels;  ///< channels in addition to the latents: which frames are given, and
                               ///< their latents, [1, C', F, h, w]
    at::Tensor
        visionEmbeds;  ///< states of an image encoder, [N, S, D] of N images; undefined: none
};

/// With tensors of its own on the device; null remains null.
[[nodiscard]] std::shared_ptr<const ImageConditioning> copyOf(
    const std::shared_ptr<const ImageConditioning>& imageConditioning, c10::Device device);

/// Latent images as the denoiser sees them.
/// Shape: samples [B, C, h, w] f32, or of videos [B, C, F, h, w]; the model's space determines
/// which.
class Latents final : public memory::WireValue {
public:
    /// `deviation`, `imageConditioning`: see there.
    Latents(at::Tensor samples,
            Provenance provenance,
            std::shared_ptr<const SamplerCarry> carry = nullptr,
            at::Tensor deviation = {},
            std::shared_ptr<const ImageConditioning> imageConditioning = nullptr);

    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;

    [[nodiscard]] const at::Tensor& samples() const { return samples_; }

    [[nodiscard]] const Provenance& provenance() const { return provenance_; }

    [[nodiscard]] const std::shared_ptr<const SamplerCarry>& carry() const { return carry_; }

    /// Standard deviation, like samples, of an autoencoder's encoding of an image: samples are the
    /// mean, and a denoiser draws from both with its seed. Undefined: samples are what they are.
    [[nodiscard]] const at::Tensor& deviation() const { return deviation_; }

    /// The conditioning that the video was made with, for another pass over it; null: without an
    /// image.
    [[nodiscard]] const std::shared_ptr<const ImageConditioning>& imageConditioning() const {
        return imageConditioning_;
    }

private:
    at::Tensor samples_;
    Provenance provenance_;
    std::shared_ptr<const SamplerCarry> carry_;
    at::Tensor deviation_;
    std::shared_ptr<const ImageConditioning> imageConditioning_;
};

/// Latents that are not there yet: the size of what they become. The denoiser, which knows their
/// space, draws their noise.
class EmptyLatents final : public memory::WireValue {
public:
    /// `rate`: frames a second of a video. `imageConditioning`: null for one that begins with no
    /// image.
    EmptyLatents(const ImageSize& size,
                 int64_t batch,
                 double rate = 0,
                 std::shared_ptr<const ImageConditioning> imageConditioning = nullptr)
        : size_(size),
          batch_(batch),
          rate_(rate),
          imageConditioning_(std::move(imageConditioning)) {}

    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;

    [[nodiscard]] const ImageSize& size() const { return size_; }

    [[nodiscard]] int64_t batch() const { return batch_; }

    [[nodiscard]] double rate() const { return rate_; }

    [[nodiscard]] const std::shared_ptr<const ImageConditioning>& imageConditioning() const {
        return imageConditioning_;
    }

private:
    ImageSize size_;
    int64_t batch_;
    double rate_;
    std::shared_ptr<const ImageConditioning> imageConditioning_;
};

/// Images. Shape: pixels [B, 3, H, W] f32 in 0..1 (not rounded).
class Images final : public memory::WireValue {
public:
    Images(at::Tensor pixels, Provenance provenance);

    [[nodiscard]] std::string_view type() const override { return "IMAGE"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;

    [[nodiscard]] const at::Tensor& pixels() const { return pixels_; }

    [[nodiscard]] const Provenance& provenance() const { return provenance_; }

private:
    at::Tensor pixels_;
    Provenance provenance_;
};

/// Which part of an image is regenerated. Shape: values [B, 1, H, W] f32, 1 where it is, 0 where
/// the image is kept.
class Masks final : public memory::WireValue {
public:
    explicit Masks(at::Tensor values);

    [[nodiscard]] std::string_view type() const override { return "MASK"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;

    [[nodiscard]] const at::Tensor& values() const { return values_; }

private:
    at::Tensor values_;
};

}  // namespace lowtide::tensor
