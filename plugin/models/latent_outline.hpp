#pragma once
// A latent before the run, beyond its shape. Torch-free.

#include "plugin/base/shape.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/picture_size.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::models {

inline constexpr double kMostRate = 1000;  ///< frames a second of a video

/// Latents that are not there yet: their shape is the model's to say.
struct EmptyOutline {
    tensor::PictureSize size;
    int64_t batch = 1;
    double rate = 0;  ///< frames a second of a video
    Shape beside{};   ///< of tensor::VideoGuide; empty: it begins with no picture
    Shape seen{};     ///< likewise; empty: the model reads none
};

/// What a latent is: goes along wires in its place. One without it is no more than its shape.
class LatentOutline final : public memory::WireValue {
public:
    /// `isDistribution`: it has a deviation, and a denoiser draws from it.
    explicit LatentOutline(bool isDistribution) : isDistribution_(isDistribution) {}

    /// Of what has no shape yet.
    explicit LatentOutline(const EmptyOutline& empty) : empty_(empty) {}

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
            key += " " + lowtide::toText(empty_->beside) + lowtide::toText(empty_->seen);
        }
        return key;
    }

    [[nodiscard]] bool isDistribution() const { return isDistribution_; }

    [[nodiscard]] const EmptyOutline* empty() const { return empty_ ? &*empty_ : nullptr; }

private:
    bool isDistribution_ = false;
    std::optional<EmptyOutline> empty_;
};

/// What `known`, a ValueOutline's value, tells of a latent that is not there yet; nullptr: it is.
[[nodiscard]] inline const EmptyOutline* emptyIn(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline ? outline->empty() : nullptr;
}

/// Whether `known`, a ValueOutline's value, tells of a distribution; null tells of none.
[[nodiscard]] inline bool isDistribution(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline && outline->isDistribution();
}

}  // namespace lowtide::models
