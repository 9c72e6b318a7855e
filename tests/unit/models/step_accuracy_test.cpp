// Compares a whole step of a UNet with our own operators with the same step with ATen's.

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/cpu_paths.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/host_weights.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <QtTest/QtTest>

namespace step_accuracy_test {

using namespace lowtide;

namespace {

/// The project's goal for a step (docs/performance.md); 4e-6 was seen.
constexpr double kMostDistance = 1e-5;

/// Random weights that keep activations near 1, the same ones at each call.
class RandomWeights final : public testing::HostWeights {
public:
    explicit RandomWeights(const memory::ComponentTree& tree)
        : noise_(at::randn({mostElements(tree)},
                           at::make_generator<at::CPUGeneratorImpl>(uint64_t{1}),
                           at::kFloat)) {}

    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override {
        std::vector<at::Tensor> tensors;
        for (const memory::WeightId id : tree.leaves[leaf].weights) {
            const memory::Weight& weight = tree.weights[id];
            const int64_t count = tree.storages[weight.storage].elementCount;
            const at::Tensor noise = noise_.narrow(0, 0, count).view(weight.shape);
            const auto inputs = static_cast<double>(count / weight.shape.front());
            tensors.push_back(weight.shape.size() > 1 ? noise / std::sqrt(inputs)
                                                      : 1 + 0.1 * noise);
        }
        return {std::move(tensors), nullptr};
    }

private:
    at::Tensor noise_;
};

at::Tensor predicted(const models::UNet2DCondition& unet, const tensor::CpuPaths& paths) {
    const tensor::CpuPathsScope scope(paths);
    const auto noise = [](at::IntArrayRef shape, uint64_t seed) {
        return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::kFloat);
    };
    RandomWeights weights(*unet.tree());
    models::Forward forward(weights, *unet.tree(), tensor::Record(nullptr));
    return unet.predict(forward,
                        noise({1, 4, 24, 32}, 1),
                        at::scalar_tensor(500, at::kLong),
                        {.context = noise({1, 77, unet.config().contextWidth()}, 2)});
}

}  // namespace

class StepAccuracyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Channels as in published checkpoints: 320 and 640.
    void aStepIsAsGoodAsAtens() {
        const models::UNet2DCondition unet = testing::widenedUNet(5);
        const at::Tensor plain = predicted(unet, {});
        const at::Tensor own = predicted(unet, tensor::defaultCpuPaths());
        const double distance = ((own - plain).norm() / plain.norm()).item<double>();
        qInfo("a step of ours to ATen's: relative L2 %.2g", distance);
        QVERIFY(distance > 0);
        QVERIFY2(distance < kMostDistance, qPrintable(QString::number(distance)));
        QVERIFY(own.is_contiguous());
    }
};

LOWTIDE_TEST(StepAccuracyTest)

}  // namespace step_accuracy_test

#include "step_accuracy_test.moc"
