#pragma once

#include "plugin/models/upscaler.hpp"
#include "plugin/models/walk/shape_walk.hpp"

namespace lowtide::models {

/// An upscaler on its way through a shape walk: tiles of one size are walked once. `upscaler` and
/// `walk` must outlive it.
class WalkedUpscaler final : public Upscaler {
public:
    WalkedUpscaler(const Upscaler& upscaler, ShapeWalk& walk) : upscaler_(upscaler), walk_(walk) {}

    [[nodiscard]] const UpscalerInfo& info() const override { return upscaler_.info(); }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const override {
        return upscaler_.tree();
    }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return upscaler_.precisions();
    }

    [[nodiscard]] at::Tensor enlarge(StageContext& context,
                                     const at::Tensor& pixels) const override;

private:
    const Upscaler& upscaler_;
    ShapeWalk& walk_;
};

}  // namespace lowtide::models
