#include "tests/unit/residency/played_cudnn.hpp"

#include <cstring>
#include <map>

namespace lowtide::testing {

namespace {

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

}  // namespace

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

}  // namespace lowtide::testing
