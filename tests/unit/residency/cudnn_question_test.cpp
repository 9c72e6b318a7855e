// What cuDNN is asked about a convolution, and which of its suggestions is taken.
#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/device/cuda/cudnn_question.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/played_cudnn.hpp"

#include <QTest>

namespace cudnn_question_test {

using namespace lowtide;
using residency::askCudnn;
using residency::ConvolutionPlan;
using residency::ConvolutionShape;
using residency::CudnnDescriptor;
using testing::PlayedConfig;
using testing::PlayedCudnn;

namespace {

constexpr auto kTensorCore = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
constexpr auto kNondeterministic = CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
constexpr auto kNarrowing = CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
constexpr auto kNarrowSums = CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION;

/// A convolution of Stable Diffusion's UNet at 512 x 512.
ConvolutionShape shapeOf(DType type, int64_t side = 3) {
    return {.type = type,
            .input = {2, 320, 64, 64},
            .weight = {320, 320, side, side},
            .padding = side / 2};
}

std::optional<ConvolutionPlan> askPlayed(const ConvolutionShape& shape) {
    const residency::CudnnCalls calls = PlayedCudnn::calls();
    return askCudnn(calls, residency::describeGpu(calls, 0), shape);
}

int64_t engineFor(const ConvolutionShape& shape) {
    const auto plan = askPlayed(shape);
    return plan ? plan->engine : -1;
}

/// A GPU of compute capability 8.0 in the words of cuDNN 9.19; sizes as of an A100.
constexpr std::string_view kDescribed = R"({
    "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
    "regsPerBlock": 65536, "multiProcessorCount": 108, "warpSize": 32,
    "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 166912,
    "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
    "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
    "supportCoopLaunch": 1, "totalGlobalMem": 42949672960, "smClockRateKHz": 1410000,
    "memClockRateKHz": 1215000, "l2CacheSize": 41943040, "cudaDeviceId": 0, "deviceVer": 800,
    "driverVer": 13000, "deviceName": "described"})";

CudnnDescriptor describedGpu(const residency::CudnnCalls& calls) {
    CudnnDescriptor gpu(calls, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    gpu.setCard(kDescribed);
    gpu.finalize();
    return gpu;
}

}  // namespace

class CudnnQuestionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void asksAboutTheTensorsAsLibTorchDoes() {
        const PlayedCudnn cudnn({{.engine = 1}}, {});
        ConvolutionShape shape = shapeOf(DType::F16);
        shape.stride = 2;
        QVERIFY(askPlayed(shape));
        using Numbers = std::vector<std::vector<int64_t>>;
        QVERIFY(cudnn.tensorNumbers(CUDNN_ATTR_TENSOR_DIMENSIONS) ==
                (Numbers{{2, 320, 64, 64}, {320, 320, 3, 3}, {2, 320, 32, 32}}));
        QVERIFY(cudnn.tensorNumbers(CUDNN_ATTR_TENSOR_STRIDES) ==
                (Numbers{{1310720, 4096, 64, 1}, {2880, 9, 3, 1}, {327680, 1024, 32, 1}}));
        QVERIFY(cudnn.tensorNumbers(CUDNN_ATTR_TENSOR_UNIQUE_ID) == (Numbers{{'x'}, {'w'}, {'y'}}));
        QVERIFY(cudnn.tensorNumbers(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) ==
                (Numbers{{32}, {32}, {32}}));
        QVERIFY(cudnn.knowsGpu());
    }

    void reportsWhatIsKnownOfThePlan() {
        const PlayedCudnn cudnn(
            {{.engine = 45, .notes = {kTensorCore, kNarrowSums}, .workspace = 1000}}, {});
        const auto plan = askPlayed(shapeOf(DType::F16));
        QVERIFY(plan);
        QCOMPARE(plan->workspace, Bytes{1000});
        QCOMPARE(plan->engine, int64_t{45});
        QVERIFY(plan->tensorCores && plan->isDeterministic);
        QVERIFY(plan->accumulates == DType::F16);
    }

    void takesTheFirstThatItsNumbersAllow_data() {
        const testing::Rows<int, bool, bool, qint64> row(
            "type", "allowsTf32", "isDeterministic", "engine");
        row("f32", int(DType::F32), false, false, 2);
        row("f32, deterministic", int(DType::F32), false, true, 4);
        row("tf32", int(DType::F32), true, false, 2);
        row("tf32, deterministic", int(DType::F32), true, true, 3);
        row("f16", int(DType::F16), false, false, 2);
        row("f16, deterministic", int(DType::F16), false, true, 3);
        row("bf16, deterministic", int(DType::BF16), false, true, 3);
    }

    void takesTheFirstThatItsNumbersAllow() {
        QFETCH(int, type);
        QFETCH(bool, allowsTf32);
        QFETCH(bool, isDeterministic);
        QFETCH(qint64, engine);
        const PlayedCudnn cudnn({{.engine = 1, .notes = {kNarrowing}},
                                 {.engine = 2, .notes = {kNondeterministic}},
                                 {.engine = 3, .notes = {kTensorCore}},
                                 {.engine = 4}},
                                {});
        ConvolutionShape shape = shapeOf(static_cast<DType>(type));
        shape.allowsTf32 = allowsTf32;
        shape.isDeterministic = isDeterministic;
        QCOMPARE(engineFor(shape), int64_t{engine});
    }

    void skipsWhatCannotBePlanned() {
        const PlayedCudnn cudnn({{.engine = 1, .plans = false}, {.engine = 2}}, {{.engine = 3}});
        QCOMPARE(engineFor(shapeOf(DType::F32)), int64_t{2});
    }

    void fallsBackWhereNoSuggestionServes() {
        const PlayedCudnn cudnn(
            {{.engine = 1, .plans = false}, {.engine = 2, .notes = {kTensorCore}}},
            {{.engine = 3, .notes = {kTensorCore}}, {.engine = 4}});
        QCOMPARE(engineFor(shapeOf(DType::F32)), int64_t{4});
    }

    void reportsNothingWhereThereIsNoPlan() {
        const PlayedCudnn cudnn({{.engine = 1, .plans = false}}, {});
        QVERIFY(!askPlayed(shapeOf(DType::F32)));
        QVERIFY(!askPlayed(shapeOf(DType::I8)));
    }

    /// Every descriptor is given back, whichever call fails.
    void survivesEveryFailure() {
        const std::vector<PlayedConfig> instant = {{.engine = 1, .notes = {kTensorCore}},
                                                   {.engine = 2, .plans = false}};
        int calls = 0;
        {
            const PlayedCudnn cudnn(instant, {{.engine = 3}});
            QCOMPARE(engineFor(shapeOf(DType::F32)), int64_t{3});
            QVERIFY(cudnn.created() > 10);
            QCOMPARE(cudnn.destroyed(), cudnn.created());
            calls = cudnn.callCount();
        }
        for (int call = 1; call <= calls; ++call) {
            PlayedCudnn cudnn(instant, {{.engine = 3}});
            cudnn.failAt(call);
            const auto plan = askPlayed(shapeOf(DType::F32));
            QVERIFY(cudnn.callCount() >= call);
            QCOMPARE(cudnn.destroyed(), cudnn.created());
            QVERIFY(!plan || plan->engine != 2);
        }
    }

    void remembersAnswers() {
        int asked = 0;
        const auto question = residency::remembered(
            [&](const ConvolutionShape& shape) -> std::optional<ConvolutionPlan> {
                ++asked;
                return shape.type == DType::F32 ? std::nullopt
                                                : std::optional(ConvolutionPlan{.workspace = 7});
            });
        const auto copy = question;
        for (int i = 0; i < 2; ++i) {
            QVERIFY(question(shapeOf(DType::F16)) == Bytes{7});
            QVERIFY(!copy(shapeOf(DType::F32)));
        }
        QCOMPARE(asked, 2);
        ConvolutionShape other = shapeOf(DType::F16);
        other.isDeterministic = true;
        QVERIFY(copy(other));
        QCOMPARE(asked, 3);
    }

    void aLibraryThatIsNotThereIsNoLibrary() {
        QVERIFY(!residency::loadCudnn("libnowhere.so.9"));
        QVERIFY(!residency::loadCudnn("libz.so.1"));
    }

    void theRealLibraryPlansForADescribedGpu_data() {
        const testing::Rows<int, qint64, bool> row("type", "side", "allowsTf32");
        for (const qint64 side : {3, 1}) {
            const QByteArray name = QByteArray::number(side) + " x " + QByteArray::number(side);
            row("f32 " + name, int(DType::F32), side, false);
            row("tf32 " + name, int(DType::F32), side, true);
            row("f16 " + name, int(DType::F16), side, false);
            row("bf16 " + name, int(DType::BF16), side, false);
        }
    }

    /// No GPU is needed: cuDNN takes one that is described.
    void theRealLibraryPlansForADescribedGpu() {
        QFETCH(int, type);
        QFETCH(qint64, side);
        QFETCH(bool, allowsTf32);
        const auto calls = residency::loadCudnn(LOWTIDE_CUDNN);
        if (!calls) {
            QSKIP("cuDNN cannot be loaded here");
        }
        const CudnnDescriptor gpu = describedGpu(*calls);
        if (!gpu.isGood()) {
            QSKIP("this cuDNN describes GPUs in other words");
        }
        ConvolutionShape shape = shapeOf(static_cast<DType>(type), side);
        shape.allowsTf32 = allowsTf32;
        shape.isDeterministic = true;
        const auto plan = askCudnn(*calls, gpu, shape);
        QVERIFY(plan);
        QCOMPARE(plan->tensorCores, shape.type != DType::F32 || allowsTf32);
        QVERIFY(plan->isDeterministic);
        QVERIFY(plan->accumulates == DType::F32);
        QVERIFY(plan->workspace >= 0 && plan->workspace < kGiB);
        QVERIFY(plan->engine >= 0);
        shape.input[1] = 7;  // not the kernels' channels
        QVERIFY(!askCudnn(*calls, gpu, shape));
    }

    void theRealLibraryHasNoPlanForAGpuThatIsNotThere() {
        const auto calls = residency::loadCudnn(LOWTIDE_CUDNN);
        if (!calls) {
            QSKIP("cuDNN cannot be loaded here");
        }
        const CudnnDescriptor gpu = residency::describeGpu(*calls, 4096);
        QVERIFY(!gpu.isGood());
        QVERIFY(!askCudnn(*calls, gpu, shapeOf(DType::F32)));
    }
};

LOWTIDE_TEST(CudnnQuestionTest)

}  // namespace cudnn_question_test

#include "cudnn_question_test.moc"
