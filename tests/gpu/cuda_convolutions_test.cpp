// What cuDNN states as the workspace of convolutions, next to what they take on a real GPU.
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"

#include <ATen/ATen.h>

namespace cuda_convolutions_test {

using namespace lowtide;

namespace {

/// LibTorch's switches of a reproducible stage.
memory::SwitchStates reproducible(bool allowsTf32) {
    memory::SwitchStates states;
    states.fill(memory::SwitchState::NotApplicable);
    const auto set = [&](memory::NumericSwitch which, bool isOn) {
        states[static_cast<size_t>(which)] =
            isOn ? memory::SwitchState::On : memory::SwitchState::Off;
    };
    set(memory::NumericSwitch::Tf32Convolution, allowsTf32);
    set(memory::NumericSwitch::CudnnBenchmark, false);
    set(memory::NumericSwitch::CudnnDeterministic, true);
    return states;
}

/// A convolution of networks like Stable Diffusion's.
struct Convolution {
    const char* name;
    int64_t batch;
    int64_t in;
    int64_t side;  ///< of the input, pixels
    int64_t out;
    int64_t kernel;
    int64_t stride;

    [[nodiscard]] residency::ConvolutionShape shape(DType type, bool allowsTf32) const {
        return {.type = type,
                .input = {batch, in, side, side},
                .weight = {out, in, kernel, kernel},
                .stride = stride,
                .padding = kernel / 2,
                .allowsTf32 = allowsTf32,
                .isDeterministic = true};
    }
};

constexpr Convolution kConvolutions[] = {{"first", 2, 4, 64, 320, 3, 1},
                                         {"3 x 3", 2, 320, 64, 320, 3, 1},
                                         {"1 x 1", 2, 960, 64, 320, 1, 1},
                                         {"stride 2", 2, 320, 64, 320, 3, 2},
                                         {"deep", 2, 2560, 8, 1280, 3, 1},
                                         {"autoencoder", 1, 256, 512, 128, 3, 1},
                                         {"last", 1, 128, 512, 3, 3, 1}};

/// What a dry run states for it: workspace and result.
Bytes dryRunBytes(const residency::ConvolutionShape& shape) {
    tensor::setConvolutionQuestion(residency::remembered(
        [](const auto& asked) { return testing::gpus()->askConvolution(asked); }));
    tensor::DryRunMeter meter({.spec = {.kind = "cuda"}});
    const auto options = at::TensorOptions(residency::scalarTypeOf(shape.type)).device(c10::kMeta);
    at::Tensor input;
    at::Tensor weight;
    {
        const tensor::DryRunMeter::Pause areThere;
        input = at::empty(shape.input, options);
        weight = at::empty(shape.weight, options);
    }
    const at::Tensor result =
        tensor::kernels::conv2d(input, weight, {}, shape.stride, shape.padding);
    tensor::setConvolutionQuestion({});
    return meter.peak();
}

}  // namespace

class CudaConvolutionsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<residency::Device> device_;

private Q_SLOTS:

    void initTestCase() {
        LOWTIDE_NEEDS_GPU();
        device_ = testing::gpus()->open(0);
        device_->attachThread();
    }

    void convolutionsTakeWhatCudnnStates_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("allowsTf32");
        const bool hasBf16 =
            testing::gpus()->driver().gpus.front().capability >= 80;  // else LibTorch asks no cuDNN
        int index = 0;
        for (const Convolution& one : kConvolutions) {
            QTest::addRow("f32 %s", one.name) << index << int(DType::F32) << false;
            QTest::addRow("tf32 %s", one.name) << index << int(DType::F32) << true;
            QTest::addRow("f16 %s", one.name) << index << int(DType::F16) << false;
            if (hasBf16) {
                QTest::addRow("bf16 %s", one.name) << index << int(DType::BF16) << false;
            }
            ++index;
        }
    }

    /// Its word on the workspace is what LibTorch takes, and a dry run covers both that
    /// and the result.
    void convolutionsTakeWhatCudnnStates() {
        QFETCH(int, index);
        QFETCH(int, type);
        QFETCH(bool, allowsTf32);
#ifndef LOWTIDE_ASKS_CUDNN
        qInfo("built without cuDNN's headers: the estimate is kept");
        return;
#endif
        // LibTorch's allocator leaves so much with a block rather than split it.
        constexpr Bytes kLeftWithABlock = kMiB + memory::kSlotAlignment;
        const auto shape = kConvolutions[index].shape(static_cast<DType>(type), allowsTf32);
        const tensor::NumericsScope scope(reproducible(allowsTf32));
        const auto options =
            at::TensorOptions(residency::scalarTypeOf(shape.type)).device(device_->torchDevice());
        const at::Tensor input = at::ones(shape.input, options);
        const at::Tensor weight = at::ones(shape.weight, options);
        const auto convolve = [&] {
            return at::conv2d(input, weight, {}, shape.stride, shape.padding);
        };
        (void)convolve();  // chooses, and keeps what it chose
        device_->finishCompute();
        device_->extras().returnCached();
        const Bytes before = device_->allocated();
        device_->resetPeak();
        const at::Tensor result = convolve();
        const Bytes ofResult = device_->allocated() - before;
        const Bytes peak = device_->peakAllocated() - before;

        const auto plan = testing::gpus()->askConvolution(shape);
        QVERIFY2(plan, "cuDNN has no plan");
        const std::string numbers =
            "engine " + std::to_string(plan->engine) + ", workspace " +
            std::to_string(plan->workspace) + ", measured " + std::to_string(peak - ofResult) +
            ", walked " + std::to_string(dryRunBytes(shape)) + " of " + std::to_string(peak);
        qInfo("%s", numbers.c_str());
        QVERIFY2(peak - ofResult <= plan->workspace + kLeftWithABlock, numbers.c_str());
        if (testing::gpus()->driver().gpus.size() == 1) {  // else another GPU may take more
            QVERIFY2(plan->workspace <= peak - ofResult, numbers.c_str());
        }
        QVERIFY2(peak <= dryRunBytes(shape) + 2 * kLeftWithABlock, numbers.c_str());
    }
};

LOWTIDE_TEST(CudaConvolutionsTest)

}  // namespace cuda_convolutions_test

#include "cuda_convolutions_test.moc"
