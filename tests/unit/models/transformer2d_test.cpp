// The transformer of the UNet alone, on weights under which it can be computed by hand.

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_blocks.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/host_weights.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace transformer2d_test {

using namespace lowtide;
using models::TensorLocation;
using models::WeightMap;

namespace {

constexpr int64_t kChannels = 4;
constexpr int64_t kGroups = 2;

/// Weights that are made up: projections are the identity, scales 1, shifts 0.
class PlainWeights final : public testing::HostWeights {
public:
    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override {
        std::vector<at::Tensor> tensors;
        for (const memory::WeightId id : tree.leaves[leaf].weights) {
            const memory::Weight& weight = tree.weights[id];
            tensors.push_back(weight.shape.size() > 1 ? at::eye(weight.shape[0]).view(weight.shape)
                              : weight.name == "t.norm.weight" ? at::ones(weight.shape)
                                                               : at::zeros(weight.shape));
        }
        return {std::move(tensors), nullptr};
    }
};

WeightMap weights() {
    return {.what = "unet",
            .files = {{.path = "none.safetensors", .size = 0}},
            .tensors = {{"t.norm.weight", {.shape = {kChannels}}},
                        {"t.norm.bias", {.shape = {kChannels}}},
                        {"t.proj_in.weight", {.shape = {kChannels, kChannels, 1, 1}}},
                        {"t.proj_in.bias", {.shape = {kChannels}}},
                        {"t.proj_out.weight", {.shape = {kChannels, kChannels, 1, 1}}},
                        {"t.proj_out.bias", {.shape = {kChannels}}}}};
}

/// Group normalisation in double precision, from its definition.
at::Tensor normalised(const at::Tensor& x, double epsilon) {
    const at::Tensor groups = x.to(at::kDouble).reshape({x.size(0), kGroups, -1});
    const at::Tensor mean = groups.mean(-1, true);
    const at::Tensor variance = (groups - mean).square().mean(-1, true);
    return ((groups - mean) / (variance + epsilon).sqrt()).view(x.sizes());
}

}  // namespace

class Transformer2DTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Of diffusers' Transformer2DModel: 1e-6, ten times less than the UNet's other norms. It shows
    /// where the variance is as small.
    void normalisesWithItsOwnEpsilon() {
        const WeightMap map = weights();
        models::NetworkBuilder builder("denoiser", "Net", map, DType::F32);
        const models::Transformer2D transformer(
            builder,
            "t",
            {.channels = kChannels, .contextWidth = 8, .layers = 0, .groups = kGroups});
        const auto tree = builder.finish({});
        PlainWeights source;
        models::Forward forward(source, *tree, tensor::Record(nullptr));
        const at::Tensor x =
            at::sin(at::arange(2 * kChannels * 6, at::kFloat)).view({2, kChannels, 2, 3}) * 1e-3;

        const at::Tensor result = transformer.apply(forward, x, {});

        const at::Tensor expected = normalised(x, 1e-6) + x;
        QVERIFY(at::allclose(result.to(at::kDouble), expected, 1e-5, 1e-6));
    }
};

LOWTIDE_TEST(Transformer2DTest)

}  // namespace transformer2d_test

#include "transformer2d_test.moc"
