#pragma once
// What specs of stages are made of; latents as they are known before the run.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::models {
class ConditioningSpec;
}

namespace lowtide::nodes {

inline constexpr double kMostRate = 1000;  ///< frames a second of a video

/// Shapes of tensor::ImageConditioning; empty: of none.
struct ImageConditioningSpec {
    Shape extraChannels;
    Shape visionEmbeds;

    bool operator==(const ImageConditioningSpec&) const = default;
};

/// Latents that are not there yet: the model determines their shape.
struct EmptyLatentSpec {
    tensor::ImageSize size;
    int64_t batch = 1;
    double rate = 0;  ///< frames a second of a video
    ImageConditioningSpec imageConditioning{};
};

/// What a latent is: goes along wires in its place. One without it is no more than its shape.
class LatentSpec final : public memory::WireValue {
public:
    /// `isDistribution`: it has a deviation, and a denoiser draws from it.
    explicit LatentSpec(bool isDistribution, ImageConditioningSpec imageConditioning = {})
        : isDistribution_(isDistribution), imageConditioning_(std::move(imageConditioning)) {}

    /// Of what has no shape yet.
    explicit LatentSpec(const EmptyLatentSpec& empty)
        : imageConditioning_(empty.imageConditioning), empty_(empty) {}

    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<LatentSpec>(*this);
    }

    [[nodiscard]] std::optional<std::string> specKey() const override {
        std::string key = isDistribution_ ? "distribution" : "latents";
        if (empty_) {
            for (const int64_t number :
                 {empty_->size.width, empty_->size.height, empty_->size.frames, empty_->batch}) {
                key += " " + std::to_string(number);
            }
        }
        return key + " " + lowtide::toText(imageConditioning_.extraChannels) +
               lowtide::toText(imageConditioning_.visionEmbeds);
    }

    [[nodiscard]] bool isDistribution() const { return isDistribution_; }

    [[nodiscard]] const ImageConditioningSpec& imageConditioning() const {
        return imageConditioning_;
    }

    [[nodiscard]] const EmptyLatentSpec* empty() const { return empty_ ? &*empty_ : nullptr; }

private:
    bool isDistribution_ = false;
    ImageConditioningSpec imageConditioning_;
    std::optional<EmptyLatentSpec> empty_;
};

/// What `known`, a ValueSpec's value, states of a latent that is not there yet; nullptr: it is.
[[nodiscard]] inline const EmptyLatentSpec* emptyIn(const memory::WireRef& known) {
    const auto* spec = dynamic_cast<const LatentSpec*>(known.get());
    return spec ? spec->empty() : nullptr;
}

/// Shapes of the image conditioning of what `known`, a ValueSpec's value, describes.
[[nodiscard]] inline ImageConditioningSpec imageConditioningIn(const memory::WireRef& known) {
    const auto* spec = dynamic_cast<const LatentSpec*>(known.get());
    return spec ? spec->imageConditioning() : ImageConditioningSpec();
}

/// Whether `known`, a ValueSpec's value, describes a distribution; null describes none.
[[nodiscard]] inline bool isDistribution(const memory::WireRef& known) {
    const auto* spec = dynamic_cast<const LatentSpec*>(known.get());
    return spec && spec->isDistribution();
}

/// Of a tensor in f32.
[[nodiscard]] Bytes bytesOf(const Shape& shape);

/// One tensor that nothing more is known of.
[[nodiscard]] executor::ValueSpec outputOf(const char* type, const Shape& shape);
/// A conditioning.
[[nodiscard]] executor::ValueSpec outputOf(const models::ConditioningSpec& conditioning);
/// Latents that are not there yet: their image conditioning is all that they hold.
[[nodiscard]] executor::ValueSpec latentOutput(const EmptyLatentSpec& empty);
/// Latents; `kind`: as LatentSpec states it, or null.
[[nodiscard]] executor::ValueSpec latentOutput(const Shape& shape, const WireRef& kind);

}  // namespace lowtide::nodes
