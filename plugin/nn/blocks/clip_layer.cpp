#include "plugin/nn/blocks/clip_layer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

namespace lowtide::models {

namespace {

const AttentionNames& clipAttentionNames() {
    static const AttentionNames names{"q_proj", "k_proj", "v_proj", "out_proj"};
    return names;
}

}  // namespace

ClipLayer::ClipLayer(NetworkBuilder& builder, const std::string& name, const ClipLayerSizes& sizes)
    : norm1(builder, name + ".layer_norm1", sizes.width, sizes.epsilon),
      attention(builder,
                name + ".self_attn",
                clipAttentionNames(),
                {.width = sizes.width,
                 .contextWidth = sizes.width,
                 .heads = sizes.heads,
                 .inputBias = Bias::Added}),
      norm2(builder, name + ".layer_norm2", sizes.width, sizes.epsilon),
      inner(builder, name + ".mlp.fc1", sizes.width, sizes.innerWidth),
      outer(builder, name + ".mlp.fc2", sizes.innerWidth, sizes.width),
      quickGelu(sizes.quickGelu) {}

at::Tensor ClipLayer::activated(const at::Tensor& x) const {
    return quickGelu ? tensor::kernels::quickGelu(x) : tensor::kernels::gelu(x);
}

at::Tensor ClipLayer::applyToTexts(Pass& pass,
                                   const at::Tensor& x,
                                   const std::vector<at::Tensor>& sights) const {
    const at::Tensor attended = x + attention.applyToRows(pass, norm1.apply(pass, x), sights);
    const at::Tensor hidden = inner.applyToRows(pass, norm2.apply(pass, attended));
    return attended + outer.applyToRows(pass, activated(hidden));
}

at::Tensor ClipLayer::applyToPictures(Pass& pass, const at::Tensor& x) const {
    const at::Tensor normed = norm1.apply(pass, x);
    const at::Tensor attended = x + attention.apply(pass, normed, normed, Mask::None);
    const at::Tensor hidden = inner.apply(pass, norm2.apply(pass, attended));
    return attended + outer.apply(pass, activated(hidden));
}

bool isQuickGelu(const JsonReader& reader) {
    const std::string activation = reader.text("hidden_act").value_or("quick_gelu");
    if (activation != "quick_gelu" && activation != "gelu") {
        throw Error(ErrorKind::Unsupported,
                    reader.what() + ": hidden_act is \"" + activation +
                        "\", only \"quick_gelu\" and \"gelu\" are built",
                    "choose another checkpoint");
    }
    return activation == "quick_gelu";
}

}  // namespace lowtide::models
