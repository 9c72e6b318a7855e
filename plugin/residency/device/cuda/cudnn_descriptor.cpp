#include "plugin/residency/device/cuda/cudnn_descriptor.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

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

}  // namespace lowtide::residency
