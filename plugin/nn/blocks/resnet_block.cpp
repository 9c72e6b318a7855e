#include "plugin/nn/blocks/resnet_block.hpp"

#include "plugin/nn/blocks/pass.hpp"

#include <utility>

namespace lowtide::models {

namespace {

std::optional<Linear> makeTimeProjection(NetworkBuilder& builder,
                                         const std::string& name,
                                         const ResnetSizes& sizes) {
    if (sizes.timeWidth == 0) {
        return std::nullopt;
    }
    return Linear(builder, name + ".time_emb_proj", sizes.timeWidth, sizes.out);
}

std::optional<Conv2d> makeShortcut(NetworkBuilder& builder,
                                   const std::string& name,
                                   const ResnetSizes& sizes) {
    if (sizes.in == sizes.out) {
        return std::nullopt;
    }
    return Conv2d(builder,
                  name + ".conv_shortcut",
                  {.in = sizes.in, .out = sizes.out, .kernel = 1, .padding = 0});
}

}  // namespace

ResnetBlock::ResnetBlock(NetworkBuilder& builder, const std::string& name, const ResnetSizes& sizes)
    : norm1(builder, name + ".norm1", sizes.in, sizes.groups, sizes.epsilon),
      conv1(builder, name + ".conv1", {.in = sizes.in, .out = sizes.out}),
      timeProjection(makeTimeProjection(builder, name, sizes)),
      norm2(builder, name + ".norm2", sizes.out, sizes.groups, sizes.epsilon),
      conv2(builder, name + ".conv2", {.in = sizes.out, .out = sizes.out}),
      shortcut(makeShortcut(builder, name, sizes)) {}

at::Tensor ResnetBlock::apply(Pass& pass, const at::Tensor& x, const at::Tensor& time) const {
    at::Tensor hidden = norm1.applyActivated(pass, x, {});
    hidden = conv1.apply(pass, hidden);
    hidden = conv2.apply(pass, normalised(pass, std::move(hidden), time));
    return hidden.add_(shortcut ? shortcut->apply(pass, x) : x);
}

at::Tensor ResnetBlock::applyOver(Pass& pass, at::Tensor x, const at::Tensor& time) const {
    if (!shortcut) {
        at::Tensor hidden = norm1.applyActivated(pass, x, {});
        hidden = normalised(pass, conv1.apply(pass, hidden), time);
        return conv2.addTo(pass, std::move(x), hidden);
    }
    at::Tensor sum = shortcut->apply(pass, x);
    x = norm1.applyActivatedOver(pass, std::move(x), {});
    x = conv1.applyOver(pass, std::move(x));
    x = normalised(pass, std::move(x), time);
    return conv2.addTo(pass, std::move(sum), x);
}

at::Tensor ResnetBlock::normalised(Pass& pass, at::Tensor hidden, const at::Tensor& time) const {
    const at::Tensor shift =
        timeProjection ? timeProjection->apply(pass, time) : at::Tensor();  // [B, out]
    return norm2.applyActivatedOver(pass, std::move(hidden), shift);
}

}  // namespace lowtide::models
