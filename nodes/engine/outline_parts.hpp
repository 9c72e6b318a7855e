#pragma once
// What outlines of stages are made of; latents as they are known before the run.

#include "nodes/engine/stage_def.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::models {
class ConditioningOutline;
}

namespace lowtide::nodes {

inline constexpr double kMostRate = 1000;  ///< frames a second of a video

/// Shapes of tensor::VideoGuide; empty: of none.
struct GuideOutline {
    Shape beside;
    Shape seen;

    bool operator==(const GuideOutline&) const = default;
};

/// Latents that are not there yet: their shape is the model's to say.
struct EmptyOutline {
    tensor::PictureSize size;
    int64_t batch = 1;
    double rate = 0;  ///< frames a second of a video
    GuideOutline guide{};
};

/// What a latent is: goes along wires in its place. One without it is no more than its shape.
class LatentOutline final : public memory::WireValue {
public:
    /// `isDistribution`: it has a deviation, and a denoiser draws from it.
    explicit LatentOutline(bool isDistribution, GuideOutline guide = {})
        : isDistribution_(isDistribution), guide_(std::move(guide)) {}

    /// Of what has no shape yet.
    explicit LatentOutline(const EmptyOutline& empty) : guide_(empty.guide), empty_(empty) {}

    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<LatentOutline>(*this);
    }

    [[nodiscard]] std::optional<std::string> outlineKey() const override {
        std::string key = isDistribution_ ? "distribution" : "latents";
        if (empty_) {
            for (const int64_t number :
                 {empty_->size.width, empty_->size.height, empty_->size.frames, empty_->batch}) {
                key += " " + std::to_string(number);
            }
        }
        return key + " " + lowtide::toText(guide_.beside) + lowtide::toText(guide_.seen);
    }

    [[nodiscard]] bool isDistribution() const { return isDistribution_; }

    [[nodiscard]] const GuideOutline& guide() const { return guide_; }

    [[nodiscard]] const EmptyOutline* empty() const { return empty_ ? &*empty_ : nullptr; }

private:
    bool isDistribution_ = false;
    GuideOutline guide_;
    std::optional<EmptyOutline> empty_;
};

/// What `known`, a ValueOutline's value, tells of a latent that is not there yet; nullptr: it is.
[[nodiscard]] inline const EmptyOutline* emptyIn(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline ? outline->empty() : nullptr;
}

/// Shapes of the pictures that guide what `known`, a ValueOutline's value, tells of.
[[nodiscard]] inline GuideOutline guideIn(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline ? outline->guide() : GuideOutline();
}

/// Whether `known`, a ValueOutline's value, tells of a distribution; null tells of none.
[[nodiscard]] inline bool isDistribution(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline && outline->isDistribution();
}

/// Of a tensor in f32.
[[nodiscard]] Bytes bytesOf(const Shape& shape);

/// One tensor that nothing more is known of.
[[nodiscard]] executor::ValueOutline outputOf(const char* type, const Shape& shape);
/// A conditioning.
[[nodiscard]] executor::ValueOutline outputOf(const models::ConditioningOutline& conditioning);
/// Latents that are not there yet: what guides them is all that they hold.
[[nodiscard]] executor::ValueOutline latentOutput(const EmptyOutline& empty);
/// Latents; `kind`: as LatentOutline says it, or null.
[[nodiscard]] executor::ValueOutline latentOutput(const Shape& shape, const WireRef& kind);

}  // namespace lowtide::nodes
