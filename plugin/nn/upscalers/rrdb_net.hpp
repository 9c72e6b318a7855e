#pragma once

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/upscalers/rrdb_layout.hpp"

#include <memory>
#include <vector>

namespace lowtide::models {

/// Five convolutions, each over all that came before it, with a shortcut.
struct DenseBlock {
    std::vector<Conv2d> convs;
    int64_t width;
    int64_t growth;

    DenseBlock(NetworkBuilder& builder, const std::string& name, const RrdbConfig& config);
    /// [1, width, H, W] -> the same.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// A residual in residual dense block.
struct RrdbBlock {
    std::vector<DenseBlock> parts;

    RrdbBlock(NetworkBuilder& builder, const std::string& name, const RrdbConfig& config);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// The generator of ESRGAN and Real-ESRGAN. Source: Wang et al. 2018 and 2021, BasicSR 1.4.2
/// rrdbnet_arch.py; values checked against tests/golden/reference and spandrel 0.4.2. The tree is
/// made from the header; weights are read through the forward.
class RrdbNet {
public:
    RrdbNet(RrdbConfig config, const WeightMap& weights);

    [[nodiscard]] const RrdbConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// RGB images [B, 3, H, W] in 0..1, sides multiples of config().unshuffle -> [B, 3, scale H,
    /// scale W], not clamped.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& pixels) const;

private:
    struct Layers {
        Conv2d input;
        std::vector<RrdbBlock> body;
        Conv2d bodyOutput;
        std::vector<Conv2d> up;
        Conv2d detail;
        Conv2d output;

        Layers(NetworkBuilder& builder, const RrdbConfig& config);
    };

    RrdbConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
