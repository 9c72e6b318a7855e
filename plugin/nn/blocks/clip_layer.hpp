#pragma once

#include "plugin/nn/blocks/attention.hpp"

#include <string>
#include <vector>

namespace lowtide {
class JsonReader;
}

namespace lowtide::models {

struct ClipLayerSizes {
    int64_t width = 0;
    int64_t innerWidth = 0;
    int64_t heads = 1;
    double epsilon = 1e-5;
    bool quickGelu = true;
};

/// A pre-norm layer of CLIP's towers. Source: transformers 5.23 CLIPEncoderLayer.
struct ClipLayer {
    LayerNorm norm1;
    Attention attention;
    LayerNorm norm2;
    Linear inner;
    Linear outer;
    bool quickGelu = true;

    ClipLayer(NetworkBuilder& builder, const std::string& name, const ClipLayerSizes& sizes);
    /// Of texts: a token sees those before it. `sights`: of each row of x [R, T, D], as
    /// Attention::applyToRows takes them; a row's bits do not depend on the others.
    [[nodiscard]] at::Tensor applyToTexts(Pass& pass,
                                          const at::Tensor& x,
                                          const std::vector<at::Tensor>& sights) const;
    /// Of pictures: every part of one sees all others. x [N, T, D].
    [[nodiscard]] at::Tensor applyToPictures(Pass& pass, const at::Tensor& x) const;

private:
    [[nodiscard]] at::Tensor activated(const at::Tensor& x) const;
};

/// Whether a config's "hidden_act" is CLIP's own approximation of GELU. Error{Unsupported} for
/// another one than that and "gelu".
[[nodiscard]] bool isQuickGelu(const JsonReader& reader);

}  // namespace lowtide::models
