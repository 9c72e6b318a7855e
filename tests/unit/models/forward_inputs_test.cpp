// A forward of the UNet depends on its inputs and its weights alone, so that a device may do it
// again from a record.
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/host_weights.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace forward_inputs_test {

using namespace lowtide;
using residency::ForwardInputs;
using residency::ForwardWork;
using testing::ModelBench;

namespace {

/// Does the first pass again with the work of every later one.
class RepeatedForward final : public testing::ForwardingWeights {
public:
    using ForwardingWeights::ForwardingWeights;

    [[nodiscard]] at::Tensor runForward(const memory::ComponentTree& /*tree*/,
                                        const ForwardInputs& inputs,
                                        const ForwardWork& work) override {
        ++forwards;
        if (forwards == 1) {
            for (const at::Tensor& input : inputs) {
                first_.push_back(input.defined() ? input.clone() : input);
            }
            expected_ = work(inputs);
            return expected_;
        }
        areEqual = areEqual && at::equal(work(first_), expected_);
        return work(inputs);
    }

    int forwards = 0;
    bool areEqual = true;

private:
    ForwardInputs first_;
    at::Tensor expected_;
};

constexpr int kSteps = 3;
const Shape kLatents = {2, 4, 8, 8};

models::UNet2DConfig configOfMini() {
    const QByteArray text =
        testing::contentsOf(testing::sourcePath("resources/mini/model/unet/config.json"));
    return models::readUNet2DConfig(Json::parse(text.toStdString()), "unet/config.json");
}

}  // namespace

class ForwardInputsTest : public QObject {
    Q_OBJECT

    /// Predictions of latents and timesteps that all differ.
    static std::vector<at::Tensor> predictions(RepeatedForward& weights,
                                               const models::Model& model,
                                               const models::UNetResiduals& residuals) {
        const int64_t width = configOfMini().contextWidth();
        const tensor::Conditioning positive(at::randn({1, 77, width}), at::Tensor(), "", -1);
        const tensor::Conditioning negative(at::randn({1, 77, width}), at::Tensor(), "", -1);
        models::StageContext context{weights, tensor::Record(nullptr)};
        const auto denoiser =
            model.makeDenoiser(context,
                               {.positive = positive,
                                .negative = &negative,
                                .batch = 1,
                                .cfg = 7.5,
                                .residuals = [&](const auto&) { return residuals; }});
        std::vector<at::Tensor> made;
        for (int step = 0; step < kSteps; ++step) {
            made.push_back(denoiser->predict(
                at::randn(kLatents), at::scalar_tensor(901 - 300 * step, at::kLong), {}));
        }
        return made;
    }

private Q_SLOTS:

    void aForwardIsItsInputs() {
        ModelBench bench;
        const nodes::WireRef model =
            bench.load(testing::sourcePath("resources/mini/model").toStdString());
        RepeatedForward weights(bench.residency());
        bench.runWith(model, models::kDenoiser, [&] {
            const auto made = predictions(weights, ModelBench::modelOf(model), {});
            QVERIFY(!at::equal(made[0], made[1]) && !at::equal(made[1], made[2]));
        });
        QCOMPARE(weights.forwards, kSteps);
        QVERIFY(weights.areEqual);
    }

    /// What adapters add is made again for every step.
    void aForwardWithResidualsIsNotOffered() {
        ModelBench bench;
        const nodes::WireRef model =
            bench.load(testing::sourcePath("resources/mini/model").toStdString());
        RepeatedForward weights(bench.residency());
        bench.runWith(model, models::kDenoiser, [&] {
            models::UNetResiduals residuals;
            for (const Shape& shape : models::residualShapes(configOfMini(), kLatents).blocks) {
                residuals.blocks.push_back(at::zeros(shape));
            }
            static_cast<void>(predictions(weights, ModelBench::modelOf(model), residuals));
        });
        QCOMPARE(weights.forwards, 0);
    }
};

LOWTIDE_TEST(ForwardInputsTest)

}  // namespace forward_inputs_test

#include "forward_inputs_test.moc"
