// What cuDNN is asked about a convolution, and which of its suggestions is taken.
#include "plugin/residency/device/convolution_plan.hpp"
#include "plugin/residency/device/cuda/cudnn_question.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <cstring>
#include <map>
#include <vector>

namespace cudnn_question_test {

using namespace lowtide;
using residency::askCudnn;
using residency::ConvolutionPlan;
using residency::ConvolutionShape;
using residency::CudnnDescriptor;

namespace {

/// One suggestion of the played cuDNN.
struct PlayedConfig {
    int64_t engine = 0;
    std::vector<cudnnBackendNumericalNote_t> notes{};
    int64_t workspace = 0;
    bool plans = true;  ///< its plan can be made
};

/// A cuDNN that suggests what it was given. It keeps the rules of the real one that matter here:
/// only what is finalised may be a part of something else, or be read. One at a time.
class PlayedCudnn {
public:
    PlayedCudnn(std::vector<PlayedConfig> instant, std::vector<PlayedConfig> fallback);
    ~PlayedCudnn();
    PlayedCudnn(const PlayedCudnn&) = delete;
    PlayedCudnn& operator=(const PlayedCudnn&) = delete;

    [[nodiscard]] static residency::CudnnCalls calls();

    /// The call of that number fails, counted from 1; 0: none does.
    void failAt(int call);
    [[nodiscard]] int callCount() const;
    [[nodiscard]] int created() const;
    [[nodiscard]] int destroyed() const;
    /// Of tensors: the numbers that were set, in the order of their making.
    [[nodiscard]] std::vector<std::vector<int64_t>> tensorNumbers(
        cudnnBackendAttributeName_t name) const;
    /// Whether a plan and a list of suggestions were each given their GPU.
    [[nodiscard]] bool knowsGpu() const;
};

struct Descriptor {
    cudnnBackendDescriptorType_t type{};
    bool isFinal = false;
    std::map<cudnnBackendAttributeName_t, std::vector<int64_t>> numbers{};
    std::map<cudnnBackendAttributeName_t, const Descriptor*> parts{};
    cudnnBackendHeurMode_t mode{};
    const PlayedConfig* config = nullptr;  ///< of configs, their engines and plans
};

struct State {
    std::vector<PlayedConfig> instant;
    std::vector<PlayedConfig> fallback;
    int failing = 0;
    int calls = 0;
    int created = 0;
    int destroyed = 0;
    bool knowsGpu = true;
    std::vector<std::map<cudnnBackendAttributeName_t, std::vector<int64_t>>> tensors;
};

State state;

bool fails() {
    return ++state.calls == state.failing;
}

cudnnStatus_t create(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* made) {
    if (fails()) {
        return CUDNN_STATUS_ALLOC_FAILED;
    }
    ++state.created;
    *made = new Descriptor{.type = type};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t destroy(cudnnBackendDescriptor_t descriptor) {
    ++state.destroyed;
    delete static_cast<Descriptor*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set(cudnnBackendDescriptor_t descriptor,
                  cudnnBackendAttributeName_t name,
                  cudnnBackendAttributeType_t type,
                  int64_t count,
                  const void* values) {
    auto& own = *static_cast<Descriptor*>(descriptor);
    if (fails() || own.isFinal) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    if (type == CUDNN_TYPE_INT64) {
        const auto* numbers = static_cast<const int64_t*>(values);
        own.numbers[name].assign(numbers, numbers + count);
    } else if (type == CUDNN_TYPE_HEUR_MODE) {
        own.mode = *static_cast<const cudnnBackendHeurMode_t*>(values);
    } else if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        const auto* part =
            static_cast<Descriptor*>(*static_cast<const cudnnBackendDescriptor_t*>(values));
        if (!part->isFinal) {
            return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        }
        own.parts[name] = part;
        own.config = part->config;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize(cudnnBackendDescriptor_t descriptor) {
    auto& own = *static_cast<Descriptor*>(descriptor);
    if (fails()) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    const auto hasPart = [&](cudnnBackendAttributeName_t name) { return own.parts.contains(name); };
    switch (own.type) {
        case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
            state.tensors.push_back(own.numbers);
            break;
        case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
            own.isFinal = hasPart(CUDNN_ATTR_OPERATIONGRAPH_OPS);
            return own.isFinal ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
        case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
            state.knowsGpu = state.knowsGpu && hasPart(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
            break;
        case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
            state.knowsGpu = state.knowsGpu && hasPart(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
            own.config = own.parts.at(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)->config;
            if (!own.config->plans) {
                return CUDNN_STATUS_NOT_SUPPORTED;
            }
            break;
        default:
            break;
    }
    own.isFinal = true;
    return CUDNN_STATUS_SUCCESS;
}

/// The parts that a caller made for what it asks about: they are final as soon as they are given.
void give(cudnnBackendDescriptor_t target, const PlayedConfig& config) {
    auto& own = *static_cast<Descriptor*>(target);
    own.config = &config;
    own.isFinal = true;
}

cudnnStatus_t get(cudnnBackendDescriptor_t descriptor,
                  cudnnBackendAttributeName_t name,
                  cudnnBackendAttributeType_t /*type*/,
                  int64_t capacity,
                  int64_t* count,
                  void* values) {
    const auto& own = *static_cast<Descriptor*>(descriptor);
    if (fails() || !own.isFinal) {
        return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    }
    auto* const parts = static_cast<cudnnBackendDescriptor_t*>(values);
    const std::vector<PlayedConfig>& configs =
        own.mode == CUDNN_HEUR_MODE_FALLBACK ? state.fallback : state.instant;
    *count = 1;
    switch (name) {
        case CUDNN_ATTR_ENGINEHEUR_RESULTS:
            *count = static_cast<int64_t>(configs.size());
            for (int64_t i = 0; i < std::min(capacity, *count); ++i) {
                give(parts[i], configs[static_cast<size_t>(i)]);
            }
            break;
        case CUDNN_ATTR_ENGINECFG_ENGINE:
            if (capacity > 0) {
                give(*parts, *own.config);
            }
            break;
        case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
            *count = static_cast<int64_t>(own.config->notes.size());
            std::memcpy(values,
                        own.config->notes.data(),
                        own.config->notes.size() * sizeof(cudnnBackendNumericalNote_t));
            break;
        case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
            *static_cast<int64_t*>(values) = own.config->engine;
            break;
        case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
            *static_cast<int64_t*>(values) = own.config->workspace;
            break;
        default:
            return CUDNN_STATUS_BAD_PARAM;
    }
    return CUDNN_STATUS_SUCCESS;
}

PlayedCudnn::PlayedCudnn(std::vector<PlayedConfig> instant, std::vector<PlayedConfig> fallback) {
    state = State{.instant = std::move(instant), .fallback = std::move(fallback)};
}

PlayedCudnn::~PlayedCudnn() {
    state = State();
}

residency::CudnnCalls PlayedCudnn::calls() {
    return {.create = create, .destroy = destroy, .set = set, .get = get, .finalize = finalize};
}

void PlayedCudnn::failAt(int call) {
    state.failing = call;
}

int PlayedCudnn::callCount() const {
    return state.calls;
}

int PlayedCudnn::created() const {
    return state.created;
}

int PlayedCudnn::destroyed() const {
    return state.destroyed;
}

std::vector<std::vector<int64_t>> PlayedCudnn::tensorNumbers(
    cudnnBackendAttributeName_t name) const {
    std::vector<std::vector<int64_t>> numbers;
    for (const auto& tensor : state.tensors) {
        numbers.push_back(tensor.at(name));
    }
    return numbers;
}

bool PlayedCudnn::knowsGpu() const {
    return state.knowsGpu;
}

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
