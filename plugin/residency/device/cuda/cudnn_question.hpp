#pragma once
// Questions to cuDNN: its functions, its descriptors, the plan of a convolution.

#include "plugin/residency/device/convolution_plan.hpp"

#include <cudnn.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::residency {

/// The functions of cuDNN's graph API that a question takes; a test has its own.
struct CudnnCalls {
    decltype(&cudnnBackendCreateDescriptor) create = nullptr;
    decltype(&cudnnBackendDestroyDescriptor) destroy = nullptr;
    decltype(&cudnnBackendSetAttribute) set = nullptr;
    decltype(&cudnnBackendGetAttribute) get = nullptr;
    decltype(&cudnnBackendFinalize) finalize = nullptr;
};

/// Those of the library, which is never closed: LibTorch has it loaded already. Nothing where it is
/// not there, or older than 9.11, which cannot be asked about a GPU without a handle.
[[nodiscard]] std::optional<CudnnCalls> loadCudnn(const std::string& library = "libcudnn.so.9");

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
    /// A GPU by its number.
    void setCard(int index) noexcept;
    /// A GPU by cuDNN's own description of it, in JSON.
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

/// A GPU as cuDNN sees it; bad where there is none of that number.
[[nodiscard]] CudnnDescriptor describeGpu(const CudnnCalls& calls, int index);

/// The plan that LibTorch 2.11 takes for at::conv2d on `gpu` (ATen/native/cudnn/Conv_v8.cpp with
/// benchmark off): of cuDNN's instant suggestions, then of its fallbacks, the first one that the
/// shape's numbers allow and that can be planned. Nothing where there is none or cuDNN refuses.
/// Takes no memory of the GPU. Milliseconds; a kernel that is compiled for it takes longer.
[[nodiscard]] std::optional<ConvolutionPlan> askCudnn(const CudnnCalls& calls,
                                                      const CudnnDescriptor& gpu,
                                                      const ConvolutionShape& shape);

}  // namespace lowtide::residency
