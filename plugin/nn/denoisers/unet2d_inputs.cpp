#include "plugin/nn/denoisers/unet2d_inputs.hpp"

#include "plugin/base/error.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/tensor/transfer.hpp"

#include <string>

namespace lowtide::models {

namespace {

constexpr Phrase kHint = phrase("connect an adapter that was made for this family and this size");

[[noreturn]] void refuseResiduals(const Message& problem) {
    throw Error(ErrorKind::InvalidInput, problem, kHint, "control");
}

void checkOne(const at::Tensor& residual, const Shape& shape, const Message& name) {
    if (!residual.defined()) {
        refuseResiduals(message("{} is missing", name));
    }
    if (residual.sizes() != at::IntArrayRef(shape) || residual.scalar_type() != at::kFloat) {
        refuseResiduals(message("{} is {} {}, the denoiser needs Float {}",
                                name,
                                at::toString(residual.scalar_type()),
                                toText(residual.sizes().vec()),
                                toText(shape)));
    }
}

void checkAll(const std::vector<at::Tensor>& residuals,
              const std::vector<Shape>& shapes,
              const Message& name) {
    for (size_t i = 0; i < residuals.size(); ++i) {
        checkOne(residuals[i], shapes[i], message("{} {}", name, i));
    }
}

}  // namespace

UNetResidualShapes residualShapes(const UNet2DConfig& config, at::IntArrayRef latents) {
    Shape shape = {latents[0], config.levels.front().channels, latents[2], latents[3]};
    UNetResidualShapes shapes{.skips = {shape}, .middle = {}, .blocks = {}};
    for (size_t level = 0; level < config.levels.size(); ++level) {
        const UNetLevel& here = config.levels[level];
        shape[1] = here.channels;
        shapes.skips.insert(shapes.skips.end(), static_cast<size_t>(here.layers), shape);
        const Shape before = shape;
        if (level + 1 < config.levels.size()) {
            shape[2] = (shape[2] + 1) / 2;
            shape[3] = (shape[3] + 1) / 2;
            shapes.skips.push_back(shape);
        }
        shapes.blocks.push_back(here.down == UNetBlock::CrossAttention ? before : shape);
    }
    shapes.middle = shape;
    shapes.blocks.push_back(shape);
    return shapes;
}

void checkResiduals(const UNetResiduals& residuals,
                    const UNet2DConfig& config,
                    at::IntArrayRef latents) {
    const UNetResidualShapes shapes = residualShapes(config, latents);
    const size_t skips = residuals.skips.size();
    if (skips != 0 && skips != shapes.skips.size()) {
        refuseResiduals(message(
            "there are {} residuals for skips, the denoiser has {}", skips, shapes.skips.size()));
    }
    if (residuals.middle.defined() != (skips != 0)) {
        refuseResiduals(
            skips != 0 ? message("there are residuals for skips and none for the middle block")
                       : message("there is a residual for the middle block and none for skips"));
    }
    const size_t blocks = residuals.blocks.size();
    if (blocks != 0 && blocks + 1 != shapes.blocks.size() && blocks != shapes.blocks.size()) {
        refuseResiduals(
            message("there are {} residuals for blocks, the denoiser has {} on the way down and a "
                    "middle one",
                    blocks,
                    shapes.blocks.size() - 1));
    }
    checkAll(residuals.skips, shapes.skips, message("residual of skip"));
    if (residuals.middle.defined()) {
        checkOne(residuals.middle, shapes.middle, message("residual of the middle block"));
    }
    checkAll(residuals.blocks, shapes.blocks, message("residual of block"));
}

void addResidual(at::Tensor& x, const at::Tensor& residual) {
    if (residual.defined()) {
        x.add_(tensor::upload(residual, x.device()).to(x.scalar_type()));
    }
}

at::Tensor withResidual(const at::Tensor& x, const at::Tensor& residual) {
    return residual.defined() ? x + tensor::upload(residual, x.device()).to(x.scalar_type()) : x;
}

}  // namespace lowtide::models
