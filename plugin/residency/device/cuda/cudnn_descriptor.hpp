#pragma once

#include "plugin/residency/device/cuda/cudnn_calls.hpp"

#include <span>
#include <vector>

namespace lowtide::residency {

/// One of cuDNN's descriptors. A call that fails makes it bad, and so does a bad part; calls of a
/// bad one do nothing, so that what was built is looked at once, at the end. Never throws.
class CudnnDescriptor {
public:
    CudnnDescriptor(const CudnnCalls& calls, cudnnBackendDescriptorType_t type) noexcept;
    ~CudnnDescriptor();
    CudnnDescriptor(CudnnDescriptor&& other) noexcept;
    CudnnDescriptor(const CudnnDescriptor&) = delete;
    CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
    CudnnDescriptor& operator=(CudnnDescriptor&&) = delete;

    void set(cudnnBackendAttributeName_t name, std::span<const int64_t> numbers) noexcept;
    void set(cudnnBackendAttributeName_t name, int64_t number) noexcept;
    void set(cudnnBackendAttributeName_t name, float number) noexcept;
    void set(cudnnBackendAttributeName_t name, cudnnDataType_t type) noexcept;
    void set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t mode) noexcept;
    void set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t mode) noexcept;
    void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& part) noexcept;
    /// A card by its number.
    void setCard(int index) noexcept;
    /// A card by cuDNN's own description of it, in JSON.
    void setCard(std::span<const char> description) noexcept;
    void finalize() noexcept;

    [[nodiscard]] bool isGood() const noexcept {
        return handle_ && status_ == CUDNN_STATUS_SUCCESS;
    }

    /// -1 where there is no such number. These leave it as good as it was.
    [[nodiscard]] int64_t number(cudnnBackendAttributeName_t name) const noexcept;
    [[nodiscard]] std::vector<cudnnBackendNumericalNote_t> notes() const;
    /// How many descriptors `name` gives, and those, of `type`.
    [[nodiscard]] std::vector<CudnnDescriptor> parts(cudnnBackendAttributeName_t name,
                                                     cudnnBackendDescriptorType_t type) const;

private:
    void setRaw(cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type,
                size_t count,
                const void* values) noexcept;

    const CudnnCalls* calls_;
    cudnnBackendDescriptor_t handle_ = nullptr;
    cudnnStatus_t status_;
};

}  // namespace lowtide::residency
