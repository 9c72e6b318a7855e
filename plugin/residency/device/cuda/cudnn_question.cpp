#include "plugin/residency/device/cuda/cudnn_question.hpp"

#include "plugin/residency/device/loaded_library.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

constexpr size_t kOldestVersion = 91100;  // 9.11.0

}  // namespace

std::optional<CudnnCalls> loadCudnn(const std::string& library) {
    void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    decltype(&cudnnGetVersion) version = nullptr;
    CudnnCalls calls;
    const bool isWhole = opened && findIn(opened, "cudnnGetVersion", version) &&
                         findIn(opened, "cudnnBackendCreateDescriptor", calls.create) &&
                         findIn(opened, "cudnnBackendDestroyDescriptor", calls.destroy) &&
                         findIn(opened, "cudnnBackendSetAttribute", calls.set) &&
                         findIn(opened, "cudnnBackendGetAttribute", calls.get) &&
                         findIn(opened, "cudnnBackendFinalize", calls.finalize);
    return isWhole && version() >= kOldestVersion ? std::optional(calls) : std::nullopt;
}

CudnnDescriptor::CudnnDescriptor(const CudnnCalls& calls,
                                 cudnnBackendDescriptorType_t type) noexcept
    : calls_(&calls), status_(calls.create(type, &handle_)) {
    if (status_ != CUDNN_STATUS_SUCCESS) {
        handle_ = nullptr;
    }
}

CudnnDescriptor::~CudnnDescriptor() {
    if (handle_) {
        calls_->destroy(handle_);
    }
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : calls_(other.calls_),
      handle_(std::exchange(other.handle_, nullptr)),
      status_(other.status_) {}

void CudnnDescriptor::setRaw(cudnnBackendAttributeName_t name,
                             cudnnBackendAttributeType_t type,
                             size_t count,
                             const void* values) noexcept {
    if (isGood()) {
        status_ = calls_->set(handle_, name, type, static_cast<int64_t>(count), values);
    }
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          std::span<const int64_t> numbers) noexcept {
    setRaw(name, CUDNN_TYPE_INT64, numbers.size(), numbers.data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, int64_t number) noexcept {
    setRaw(name, CUDNN_TYPE_INT64, 1, &number);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, float number) noexcept {
    setRaw(name, CUDNN_TYPE_FLOAT, 1, &number);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t type) noexcept {
    setRaw(name, CUDNN_TYPE_DATA_TYPE, 1, &type);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t mode) noexcept {
    setRaw(name, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t mode) noexcept {
    setRaw(name, CUDNN_TYPE_HEUR_MODE, 1, &mode);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& part) noexcept {
    if (part.isGood()) {
        setRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.handle_);
    } else {
        status_ = CUDNN_STATUS_BAD_PARAM;
    }
}

void CudnnDescriptor::setCard(int index) noexcept {
    const auto number = static_cast<int32_t>(index);
    setRaw(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &number);
}

void CudnnDescriptor::setCard(std::span<const char> description) noexcept {
    setRaw(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
           CUDNN_TYPE_CHAR,
           description.size(),
           description.data());
}

void CudnnDescriptor::finalize() noexcept {
    if (isGood()) {
        status_ = calls_->finalize(handle_);
    }
}

int64_t CudnnDescriptor::number(cudnnBackendAttributeName_t name) const noexcept {
    int64_t count = 0;
    int64_t number = -1;
    const bool isKnown =
        isGood() &&
        calls_->get(handle_, name, CUDNN_TYPE_INT64, 1, &count, &number) == CUDNN_STATUS_SUCCESS;
    return isKnown && count == 1 ? number : -1;
}

std::vector<cudnnBackendNumericalNote_t> CudnnDescriptor::notes() const {
    std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    int64_t count = 0;
    const bool isKnown = isGood() && calls_->get(handle_,
                                                 CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                 CUDNN_TYPE_NUMERICAL_NOTE,
                                                 CUDNN_NUMERICAL_NOTE_TYPE_COUNT,
                                                 &count,
                                                 notes.data()) == CUDNN_STATUS_SUCCESS;
    notes.resize(isKnown ? std::min(static_cast<size_t>(count), notes.size()) : 0);
    return notes;
}

std::vector<CudnnDescriptor> CudnnDescriptor::parts(cudnnBackendAttributeName_t name,
                                                    cudnnBackendDescriptorType_t type) const {
    std::vector<CudnnDescriptor> parts;
    int64_t count = 0;
    if (!isGood() ||
        calls_->get(handle_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr) !=
            CUDNN_STATUS_SUCCESS) {
        return parts;
    }
    std::vector<cudnnBackendDescriptor_t> handles;
    for (int64_t i = 0; i < count; ++i) {
        parts.emplace_back(*calls_, type);
        if (!parts.back().isGood()) {
            return {};
        }
        handles.push_back(parts.back().handle_);
    }
    int64_t given = 0;
    if (calls_->get(handle_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &given, handles.data()) !=
        CUDNN_STATUS_SUCCESS) {
        return {};
    }
    while (static_cast<int64_t>(parts.size()) > given) {
        parts.pop_back();
    }
    return parts;
}

namespace {

using Notes = std::vector<cudnnBackendNumericalNote_t>;

std::optional<cudnnDataType_t> dataTypeOf(DType type) {
    switch (type) {
        case DType::F32:
            return CUDNN_DATA_FLOAT;
        case DType::F16:
            return CUDNN_DATA_HALF;
        case DType::BF16:
            return CUDNN_DATA_BFLOAT16;
        default:
            return std::nullopt;
    }
}

bool has(const Notes& notes, cudnnBackendNumericalNote_t note) {
    return std::find(notes.begin(), notes.end(), note) != notes.end();
}

/// What LibTorch's filterEngineConfigs lets through.
bool isAllowed(const Notes& notes, const ConvolutionShape& shape) {
    const bool isExact = shape.type == DType::F32 && !shape.allowsTf32;
    return !(shape.isDeterministic && has(notes, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) &&
           !has(notes, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
           !(isExact && has(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
}

CudnnDescriptor tensorOf(const CudnnCalls& calls,
                         char name,
                         cudnnDataType_t type,
                         const std::array<int64_t, 4>& sizes) {
    constexpr int64_t kAlignment = 32;  // the most that LibTorch looks for; its allocator gives 512
    const std::array<int64_t, 4> strides = {
        sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    CudnnDescriptor tensor(calls, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, int64_t{name});
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
    tensor.finalize();
    return tensor;
}

/// It sums in f32, of half types too.
CudnnDescriptor convolutionOf(const CudnnCalls& calls, const ConvolutionShape& shape) {
    const std::array<int64_t, 2> strides = {shape.stride, shape.stride};
    const std::array<int64_t, 2> paddings = {shape.padding, shape.padding};
    const std::array<int64_t, 2> dilations = {1, 1};
    CudnnDescriptor convolution(calls, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2});
    convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides);
    convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, paddings);
    convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, paddings);
    convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilations);
    convolution.finalize();
    return convolution;
}

CudnnDescriptor operationOf(const CudnnCalls& calls,
                            cudnnDataType_t type,
                            const ConvolutionShape& shape) {
    const auto side = [&](size_t axis) {
        const int64_t covered = shape.input[axis] + 2 * shape.padding - shape.weight[axis];
        return covered / std::max<int64_t>(shape.stride, 1) + 1;
    };
    const CudnnDescriptor input = tensorOf(calls, 'x', type, shape.input);
    const CudnnDescriptor weight = tensorOf(calls, 'w', type, shape.weight);
    const CudnnDescriptor result =
        tensorOf(calls, 'y', type, {shape.input[0], shape.weight[0], side(2), side(3)});
    const CudnnDescriptor convolution = convolutionOf(calls, shape);
    CudnnDescriptor operation(calls, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, input);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, weight);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, result);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0F);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0F);
    operation.finalize();
    return operation;
}

std::optional<ConvolutionPlan> planOf(const CudnnCalls& calls,
                                      const CudnnDescriptor& gpu,
                                      const CudnnDescriptor& config,
                                      const ConvolutionShape& shape) {
    const auto engines = config.parts(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    const Notes notes = engines.empty() ? Notes() : engines.front().notes();
    if (!isAllowed(notes, shape)) {
        return std::nullopt;
    }
    CudnnDescriptor plan(calls, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, gpu);
    plan.finalize();
    const Bytes workspace = plan.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (workspace < 0) {
        return std::nullopt;
    }
    const bool sumsNarrow = has(notes, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
    return ConvolutionPlan{
        .workspace = workspace,
        .engine = engines.empty() ? -1 : engines.front().number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
        .tensorCores = has(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE),
        .isDeterministic = !has(notes, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC),
        .accumulates = sumsNarrow ? shape.type : DType::F32};
}

}  // namespace

CudnnDescriptor describeGpu(const CudnnCalls& calls, int index) {
    CudnnDescriptor gpu(calls, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    gpu.setCard(index);
    gpu.finalize();
    return gpu;
}

std::optional<ConvolutionPlan> askCudnn(const CudnnCalls& calls,
                                        const CudnnDescriptor& gpu,
                                        const ConvolutionShape& shape) {
    const std::optional<cudnnDataType_t> type = dataTypeOf(shape.type);
    if (!type) {
        return std::nullopt;
    }
    const CudnnDescriptor operation = operationOf(calls, *type, shape);
    CudnnDescriptor graph(calls, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    graph.finalize();
    for (const auto mode : {CUDNN_HEUR_MODE_INSTANT, CUDNN_HEUR_MODE_FALLBACK}) {
        CudnnDescriptor heuristics(calls, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, gpu);
        heuristics.finalize();
        for (const CudnnDescriptor& config :
             heuristics.parts(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)) {
            if (const auto plan = planOf(calls, gpu, config, shape)) {
                return plan;
            }
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::residency
