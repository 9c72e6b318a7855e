// Compares what operators allocate on tensors that are shapes with what they allocate on a device.

#include "plugin/base/error.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/cpu_paths.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/numerics_scope.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <functional>

namespace lowtide::tensor::kernels_meta_test {

namespace {

/// On the CPU, where oneDNN chooses its layouts by processor; none was seen with AVX-512 and AVX2.
constexpr double kLargestError = 0.005;

using Inputs = std::vector<at::Tensor>;

/// An operator and the shapes of its arguments.
struct Case {
    std::string name;
    std::vector<std::vector<int64_t>> shapes;
    std::function<at::Tensor(const Inputs&)> run;
};

Case conv(int64_t batch, int64_t in, int64_t out, int64_t side, int64_t kernel, int64_t stride) {
    return {"conv " + std::to_string(batch) + "x" + std::to_string(in) + "x" +
                std::to_string(side) + " to " + std::to_string(out) + " kernel " +
                std::to_string(kernel) + " stride " + std::to_string(stride),
            {{batch, in, side, side + 2}, {out, in, kernel, kernel}, {out}},
            [=](const Inputs& given) {
                return kernels::conv2d(given[0], given[1], given[2], stride, kernel / 2);
            }};
}

/// With the channels last, a kernel of 3x3.
Case lastConv(int64_t batch, int64_t in, int64_t out, int64_t side, int64_t stride) {
    return {
        "conv " + std::to_string(batch) + "x" + std::to_string(in) + "x" + std::to_string(side) +
            " to " + std::to_string(out) + " stride " + std::to_string(stride) +
            ", the channels last",
        {{batch, side, side, in}, {out, in, 3, 3}, {out}},
        [=](const Inputs& given) {
            return kernels::conv2d(given[0].permute({0, 3, 1, 2}), given[1], given[2], stride, 1);
        }};
}

Case attention(int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t width) {
    const auto split = [=](const at::Tensor& x) {
        return x.view({batch, x.size(1), heads, width}).transpose(1, 2);
    };
    return {"attention " + std::to_string(queries) + " to " + std::to_string(keys),
            {{batch, queries, heads * width},
             {batch, keys, heads * width},
             {batch, keys, heads * width}},
            [=](const Inputs& given) {
                return kernels::attention(split(given[0]), split(given[1]), split(given[2]), false);
            }};
}

Case upsample(int64_t channels, int64_t side) {
    return {"upsample " + std::to_string(channels) + "x" + std::to_string(side),
            {{2, channels, side, side}},
            [=](const Inputs& given) {
                return kernels::upsampleNearest(given[0], 2 * side, 2 * side);
            }};
}

std::vector<Case> cases() {
    return {
        conv(2, 64, 96, 16, 3, 1),
        conv(2, 4, 64, 4, 3, 1),
        conv(2, 64, 4, 16, 3, 1),
        conv(1, 96, 3, 40, 3, 1),
        conv(2, 24, 40, 12, 3, 1),
        conv(2, 64, 64, 16, 3, 2),
        conv(1, 64, 64, 8, 3, 1),
        conv(1, 64, 64, 7, 3, 2),
        conv(1, 64, 64, 8, 1, 1),
        conv(2, 130, 70, 24, 3, 1),
        conv(1, 128, 20, 90, 3, 1),
        attention(1, 2, 300, 150, 40),
        attention(1, 1, 300, 150, 200),
        {"activated norm",
         {{2, 32, 20, 30}, {2, 32}, {32}, {32}},
         [](const Inputs& given) {
             return kernels::activatedNorm(given[0], given[1], 16, given[2], given[3], 1e-5);
         }},
        {"conv of some channels, the channels last",
         {{1, 20, 24, 320}, {256, 288, 3, 3}, {256}},
         [](const Inputs& given) {
             const at::Tensor last = given[0].permute({0, 3, 1, 2});
             return kernels::conv2d(last.narrow(1, 0, 288), given[1], given[2], 1, 1);
         }},
        {"conv over its own input",
         {{2, 24, 500, 320}, {160, 320, 3, 3}, {160}},
         [](const Inputs& given) {
             return kernels::conv2dOver(given[0].permute({0, 3, 1, 2}), given[1], given[2]);
         }},
        {"conv onto a sum",
         {{2, 24, 20, 64}, {2, 24, 20, 32}, {32, 64, 3, 3}, {32}},
         [](const Inputs& given) {
             return kernels::addedConv2d(given[1].permute({0, 3, 1, 2}),
                                         given[0].permute({0, 3, 1, 2}),
                                         given[2],
                                         given[3]);
         }},
        {"conv of a doubled image",
         {{2, 24, 12, 20}, {33, 24, 3, 3}, {33}},
         [](const Inputs& given) {
             return kernels::upsampledConv2d(given[0], 24, 40, given[1], given[2]);
         }},
        {"conv of stride 2, the channels last",
         {{2, 16, 24, 320}, {256, 320, 3, 3}, {256}},
         [](const Inputs& given) {
             return kernels::conv2d(given[0].permute({0, 3, 1, 2}), given[1], given[2], 2, 1);
         }},
        {"small conv, the channels last",
         {{2, 6, 4, 320}, {256, 320, 3, 3}, {256}},
         [](const Inputs& given) {
             return kernels::conv2d(given[0].permute({0, 3, 1, 2}), given[1], given[2], 1, 1);
         }},
        lastConv(2, 32, 32, 8, 2),
        lastConv(2, 64, 64, 4, 2),
        lastConv(2, 64, 64, 4, 1),
        lastConv(2, 128, 128, 2, 1),
        lastConv(2, 64, 128, 2, 1),
        lastConv(2, 128, 64, 4, 1),
        lastConv(2, 32, 64, 4, 1),
        lastConv(2, 256, 128, 2, 1),
        lastConv(2, 192, 64, 4, 1),
        lastConv(1, 64, 64, 4, 1),
        lastConv(1, 128, 128, 2, 1),
        lastConv(2, 96, 64, 4, 1),
        lastConv(2, 4, 32, 4, 1),
        lastConv(1, 32, 32, 8, 2),
        conv(2, 96, 64, 8, 1, 1),
        conv(1, 4, 4, 150, 1, 1),
        conv(3, 8, 4, 4, 3, 1),
        conv(2, 320, 640, 24, 1, 1),
        conv(1, 4, 512, 48, 3, 1),
        conv(1, 3, 64, 200, 3, 1),
        conv(1, 1280, 640, 16, 3, 1),
        conv(1, 320, 320, 32, 3, 2),
        attention(2, 8, 64, 77, 8),
        attention(1, 2, 200, 200, 16),
        attention(1, 1, 800, 600, 32),
        {"linear",
         {{2, 30, 64}, {128, 64}, {128}},
         [](const Inputs& given) { return kernels::linear(given[0], given[1], given[2]); }},
        {"linear of halves",
         {{2, 40, 96}, {64, 96}, {64}},
         [](const Inputs& given) {
             if (given[0].scalar_type() != at::kFloat || cpuPaths().product == CpuPath::Plain ||
                 DryRunMeter::isOnCuda()) {
                 return kernels::linear(given[0], given[1], given[2]);
             }
             return kernels::linear(given[0].transpose(0, 1), given[1].to(at::kHalf), given[2]);
         }},
        {"linear of few wide rows",
         {{1, 2, 5120}, {320, 5120}, {320}},
         [](const Inputs& given) { return kernels::linear(given[0], given[1], given[2]); }},
        {"linear of many rows",
         {{2, 150, 1280}, {640, 1280}, {640}},
         [](const Inputs& given) { return kernels::linear(given[0], given[1], given[2]); }},
        {"linear of transposed tokens",
         {{2, 64, 30}, {128, 64}, {128}},
         [](const Inputs& given) {
             return kernels::linear(given[0].transpose(1, 2), given[1], given[2]);
         }},
        {"group norm",
         {{2, 32, 6, 10}, {32}, {32}},
         [](const Inputs& given) {
             return kernels::groupNorm(given[0], 16, given[1], given[2], 1e-5);
         }},
        {"group norm of turned pixels",
         {{2, 32, 6, 10}, {32}, {32}},
         [](const Inputs& given) {
             return kernels::groupNorm(given[0].transpose(2, 3), 16, given[1], given[2], 1e-5);
         }},
        {"rms norm of heads",
         {{2, 30, 4, 32}, {32}},
         [](const Inputs& given) {
             return kernels::rmsNorm(given[0].transpose(1, 2), given[1], 1e-6);
         }},
        {"layer norm",
         {{2, 300, 8}, {8}, {8}},
         [](const Inputs& given) {
             return kernels::layerNorm(given[0], given[1], given[2], 1e-5);
         }},
        upsample(32, 10),
        upsample(32, 48),
        {"silu", {{2, 100}}, [](const Inputs& given) { return kernels::silu(given[0]); }},
        {"gelu", {{2, 100}}, [](const Inputs& given) { return kernels::gelu(given[0]); }},
        {"quick gelu",
         {{4, 1000}},
         [](const Inputs& given) { return kernels::quickGelu(given[0]); }},
        {"leaky relu",
         {{2, 100}},
         [](const Inputs& given) { return kernels::leakyRelu(at::gelu(given[0]), 0.2); }},
        {"pixel unshuffle",
         {{2, 3, 12, 20}},
         [](const Inputs& given) { return kernels::pixelUnshuffle(given[0], 4); }},
        {"reflected edges",
         {{1, 3, 13, 21}},
         [](const Inputs& given) { return kernels::padReflected(given[0], 3, 2); }},
        {"conv of some channels of many",
         {{1, 80, 20, 24}, {32, 48, 3, 3}, {32}},
         [](const Inputs& given) {
             return kernels::conv2d(given[0].narrow(1, 0, 48), given[1], given[2], 1, 1);
         }},
        {"resample",
         {{1, 3, 20, 30}},
         [](const Inputs& given) {
             return kernels::resample(given[0], 50, 40, kernels::Resample::Lanczos);
         }},
    };
}

/// The same on shapes: the most bytes at once, and the result.
Bytes dryRunBytes(const Case& one,
                  const char* kind,
                  at::Tensor& result,
                  at::ScalarType type = at::kFloat) {
    DryRunMeter meter({.spec = {.kind = kind}});
    Inputs inputs;
    {
        const DryRunMeter::Pause onWires;
        for (const auto& shape : one.shapes) {
            inputs.push_back(at::empty(shape, at::TensorOptions(type).device(at::kMeta)));
        }
    }
    result = one.run(inputs);
    return meter.peak();
}

}  // namespace

class KernelsMetaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        source_ = residency::makeDeviceSource(testing::buildPath("lib").toStdString());
        fake_ = source_->open({.kind = "fake"});
        cpu_ = source_->open({.kind = "cpu"});
        cpu_->attachThread();
    }

    void allocatesWhatTheOperatorDoes_data() {
        const testing::Rows<int, bool, bool> row("index", "isFake", "isPlain");
        const std::vector<Case> all = cases();
        for (size_t i = 0; i < all.size(); ++i) {
            for (const bool isPlain : {false, true}) {
                const std::string name = all[i].name + (isPlain ? ", plain" : "");
                const int index = static_cast<int>(i);
                row(("cpu " + name).c_str(), index, false, isPlain);
                row(("fake " + name).c_str(), index, true, isPlain);
            }
        }
    }

    void allocatesWhatTheOperatorDoes() {
        QFETCH(int, index);
        QFETCH(bool, isFake);
        QFETCH(bool, isPlain);
        const CpuPathsScope scope(isPlain ? CpuPaths() : defaultCpuPaths());
        const Case one = cases()[static_cast<size_t>(index)];
        residency::Device& device = isFake ? *fake_ : *cpu_;
        Inputs inputs;
        for (const auto& shape : one.shapes) {
            inputs.push_back(upload(at::rand(shape), device.torchDevice()));
        }
        const Bytes before = device.allocated();
        device.resetPeak();
        const at::Tensor result = one.run(inputs);
        const Bytes measured = device.peakAllocated() - before;

        at::Tensor shape;
        const Bytes predicted = dryRunBytes(one, isFake ? "fake" : "cpu", shape);

        QCOMPARE(shape.sizes().vec(), result.sizes().vec());
        QCOMPARE(shape.strides().vec(), result.strides().vec());
        // What is written over an input takes nothing of a GPU.
        const double error =
            measured == 0 ? static_cast<double>(predicted)
                          : static_cast<double>(predicted) / static_cast<double>(measured) - 1;
        QVERIFY2(
            std::abs(error) <= (isFake ? 0 : kLargestError),
            ("predicted " + std::to_string(predicted) + ", measured " + std::to_string(measured))
                .c_str());
    }

    void allocatesNoMoreInHalfTypes_data() {
        const testing::Rows<int, bool> row("index", "isBf16");
        const std::vector<Case> all = cases();
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i].name == "resample" || all[i].name == "conv over its own input") {
                continue;  // of f32 alone: images, and a convolution that half types do not have
            }
            row(("bf16 " + all[i].name).c_str(), static_cast<int>(i), true);
            row(("f16 " + all[i].name).c_str(), static_cast<int>(i), false);
        }
    }

    /// On the CPU, where oneDNN sums half types in scratch memory that differs by processor: what
    /// is predicted is a bound, so that a budget is kept.
    void allocatesNoMoreInHalfTypes() {
        QFETCH(int, index);
        QFETCH(bool, isBf16);
        const at::ScalarType type = isBf16 ? at::kBFloat16 : at::kHalf;
        const Case one = cases()[static_cast<size_t>(index)];
        Inputs inputs;
        for (const auto& shape : one.shapes) {
            inputs.push_back(at::rand(shape).to(type));
        }
        const Bytes before = cpu_->allocated();
        cpu_->resetPeak();
        const at::Tensor result = one.run(inputs);
        const Bytes measured = cpu_->peakAllocated() - before;

        at::Tensor shape;
        const Bytes predicted = dryRunBytes(one, "cpu", shape, type);

        QCOMPARE(shape.sizes().vec(), result.sizes().vec());
        QVERIFY2(
            measured <= predicted,
            ("predicted " + std::to_string(predicted) + ", measured " + std::to_string(measured))
                .c_str());
    }

    /// A matrix of all weights would be 2 GiB, and its product 200 G operations.
    void resamplingTakesTheFilterAlone() {
        at::Tensor result;
        const Case wide{"resample", {{1, 3, 64, 16384}}, [](const Inputs& given) {
                            return kernels::resample(
                                given[0], 64, 32768, kernels::Resample::Lanczos);
                        }};
        const Bytes taken = dryRunBytes(wide, "cpu", result);
        QCOMPARE(result.sizes().vec(), (std::vector<int64_t>{1, 3, 64, 32768}));
        QVERIFY2(taken < 2 * static_cast<Bytes>(result.nbytes()), std::to_string(taken).c_str());
    }

    /// Its results lie as ATen's own lie, and its convolutions take more than their results.
    void aCudaGpuRunsOperatorsOfItsOwn() {
        for (const Case& one : cases()) {
            at::Tensor plain;
            Bytes rehearsed = 0;
            {
                const CpuPathsScope scope((CpuPaths()));
                rehearsed = dryRunBytes(one, "fake", plain);
            }
            at::Tensor onGpu;
            const Bytes taken = dryRunBytes(one, "cuda", onGpu);
            QVERIFY2(onGpu.strides().vec() == plain.strides().vec(), one.name.c_str());
            const bool hasWorkspace = one.name.starts_with("conv");
            QVERIFY2(taken >= rehearsed + (hasWorkspace ? 512 : 0), one.name.c_str());
        }
    }

    /// Who is asked gets LibTorch's switches of the dry run; without an answer the estimate
    /// remains.
    void asksForTheWorkspaceOfConvolutionsOnAGpu() {
        using residency::ConvolutionShape;
        std::vector<ConvolutionShape> asked;
        std::optional<Bytes> answer;
        setConvolutionQuestion([&](const ConvolutionShape& shape) {
            asked.push_back(shape);
            return answer;
        });
        const auto cleanUp = qScopeGuard([] { setConvolutionQuestion({}); });
        const Case one{"stride", {{2, 8, 16, 16}, {4, 8, 3, 3}}, [](const Inputs& given) {
                           return kernels::conv2d(given[0], given[1], {}, 2, 1);
                       }};
        constexpr Bytes kResult = 2 * 4 * 8 * 8;  // numbers
        constexpr Bytes kInputs = 2 * 8 * 16 * 16 + 4 * 8 * 9;
        at::Tensor result;
        (void)dryRunBytes(one, "cpu", result);
        (void)dryRunBytes(one, "fake", result);
        QVERIFY(asked.empty());

        const auto taken = [&](at::ScalarType type) {
            asked.clear();
            return dryRunBytes(one, "cuda", result, type);
        };
        memory::SwitchStates states;
        states.fill(memory::SwitchState::NotApplicable);
        const auto set = [&](memory::NumericSwitch which, bool isOn) {
            states[static_cast<size_t>(which)] =
                isOn ? memory::SwitchState::On : memory::SwitchState::Off;
        };
        for (const bool isOn : {false, true}) {
            set(memory::NumericSwitch::Tf32Convolution, isOn);
            set(memory::NumericSwitch::CudnnDeterministic, !isOn);
            set(memory::NumericSwitch::CudnnBenchmark, false);
            const NumericsScope scope(states);
            answer.reset();
            QCOMPARE(taken(at::kFloat), kResult * 4 + alignUp((kInputs + kResult) * 4, 512));
            ConvolutionShape expected{.gpu = 0,
                                      .type = DType::F32,
                                      .input = {2, 8, 16, 16},
                                      .weight = {4, 8, 3, 3},
                                      .stride = 2,
                                      .padding = 1,
                                      .allowsTf32 = isOn,
                                      .isDeterministic = !isOn};
            QVERIFY(asked == std::vector{expected});
            answer = 5000;
            QCOMPARE(taken(at::kBFloat16), kResult * 2 + 5120);
            expected.type = DType::BF16;
            expected.allowsTf32 = false;
            QVERIFY(asked == std::vector{expected});
            answer = 0;
            QCOMPARE(taken(at::kHalf), kResult * 2);
        }
        set(memory::NumericSwitch::CudnnBenchmark, true);
        const NumericsScope scope(states);
        QCOMPARE(taken(at::kFloat), kResult * 4 + alignUp((kInputs + kResult) * 4, 512));
        QVERIFY(asked.empty());
    }

    void countsWhatLives() {
        const auto tensor = [](int64_t count) {
            return at::empty({count}, at::TensorOptions(at::kFloat).device(at::kMeta));
        };
        at::Tensor survivor;
        {
            DryRunMeter meter({.spec = {.kind = "fake"}});
            const at::Tensor first = tensor(128);
            {
                const DryRunMeter::Section section(meter);
                survivor = tensor(129);  // 1024 bytes on a GPU
                (void)tensor(1);
                QCOMPARE(section.peak(), 1024 + 512);
            }
            QCOMPARE(meter.allocated(), 512 + 1024);
            meter.touch(100);
            QCOMPARE(meter.peak(), 512 + 1024 + 512);
            meter.touch(5000);
            QCOMPARE(meter.peak(), 512 + 1024 + 5000);
            {
                const DryRunMeter::Section section(meter);
                QCOMPARE(section.peak(), 0);
            }
            QCOMPARE(meter.peak(), 512 + 1024 + 5000);
        }
        survivor.reset();  // after its meter
        DryRunMeter other({.spec = {.kind = "cpu"}});
        const at::Tensor exact = tensor(129);
        QCOMPARE(other.peak(), 516);
    }

    /// Each device as its kind counts, whichever the meter's own is.
    void countsDevicesByThemselves() {
        const auto tensor = [](int64_t count) {
            return at::empty({count}, at::TensorOptions(at::kFloat).device(at::kMeta));
        };
        DryRunMeter meter({.spec = {.kind = "fake"}});
        const at::Tensor own = tensor(1);
        {
            const DryRunMeter::Elsewhere there(meter, {.spec = {.kind = "fake", .index = 1}});
            QVERIFY(meter.imitated() == memory::Imitated::Rehearsal);
            const at::Tensor first = tensor(129);
            const DryRunMeter::Elsewhere beyond(meter, {.spec = {.kind = "cuda", .index = 2}});
            QVERIFY(DryRunMeter::isOnCuda());
            QCOMPARE(meter.device().spec.index, 2);
            (void)tensor(1);
        }
        {
            const DryRunMeter::Section section(meter);
            const DryRunMeter::Elsewhere onHost(meter);
            QVERIFY(meter.imitated() == memory::Imitated::Cpu);
            (void)tensor(3);
            QCOMPARE(section.peak(), 0);
            QCOMPARE(section.hostPeak(), 12);
        }
        meter.touchHost(40);
        QCOMPARE(meter.peak(), 512);
        const std::map<std::string, Bytes, std::less<>> elsewhere = {
            {"cpu", 40}, {"cuda:2", 512}, {"fake:1", 1024}};
        QVERIFY(meter.peaksElsewhere() == elsewhere);
    }

    void countsTensorsOfTheHostAsTheHosts() {
        at::Tensor earlier = at::empty({100}, at::kFloat);
        const Bytes before = cpu_->allocated() - 400;
        at::Tensor survivor;
        {
            DryRunMeter meter({.spec = {.kind = "cpu"}});
            survivor = at::empty({200}, at::kFloat);
            const at::Tensor passing = at::empty({50}, at::kFloat);
            earlier.reset();
            QCOMPARE(meter.allocated(), 800 + 200);
            QCOMPARE(cpu_->allocated(), before + 800 + 200);
        }
        QCOMPARE(cpu_->allocated(), before + 800);
        survivor.reset();
        QCOMPARE(cpu_->allocated(), before);
        const DryRunMeter gpu({.spec = {.kind = "fake"}});
        const at::Tensor there = at::empty({50}, at::kFloat);
        QCOMPARE(gpu.allocated(), 0);
        QCOMPARE(gpu.peaksElsewhere().at("cpu"), 200);
    }

    /// Next to an input that lies there, as a mask comes to a prompt.
    void countsWhatIsBroughtToTheHost() {
        const DryRunMeter meter({.spec = {.kind = "fake"}});
        const at::Tensor there = at::empty({50}, at::TensorOptions(at::kFloat).device(at::kMeta));
        const at::Tensor here = upload(there, at::kCPU);
        QVERIFY(here.is_cpu());
        QCOMPARE(meter.peaksElsewhere().at("cpu"), 200);
    }

    void isAnErrorWithoutADryRun() {
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(DryRunMeter::current()));
    }

private:
    std::unique_ptr<residency::DeviceSource> source_;
    std::unique_ptr<residency::Device> fake_;
    std::unique_ptr<residency::Device> cpu_;
};

LOWTIDE_TEST(KernelsMetaTest)

}  // namespace lowtide::tensor::kernels_meta_test

#include "kernels_meta_test.moc"
