#pragma once
// A latent before the run, beyond its shape. Torch-free.

#include "plugin/memory/wire_value.hpp"

#include <memory>

namespace lowtide::models {

/// What an encoded picture is: goes along wires in its place. A latent without one is no more than
/// its shape.
class LatentOutline final : public memory::WireValue {
public:
    /// `isDistribution`: it has a deviation, and a denoiser draws from it.
    explicit LatentOutline(bool isDistribution) : isDistribution_(isDistribution) {}

    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<LatentOutline>(*this);
    }

    [[nodiscard]] bool isDistribution() const { return isDistribution_; }

private:
    bool isDistribution_;
};

/// Whether `known`, a ValueOutline's value, tells of a distribution; null tells of none.
[[nodiscard]] inline bool isDistribution(const memory::WireRef& known) {
    const auto* outline = dynamic_cast<const LatentOutline*>(known.get());
    return outline && outline->isDistribution();
}

}  // namespace lowtide::models
