#pragma once

#include <cudnn.h>
#include <optional>
#include <string>

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
/// not there, or older than 9.11, which cannot be asked about a card without a handle.
[[nodiscard]] std::optional<CudnnCalls> loadCudnn(const std::string& library = "libcudnn.so.9");

}  // namespace lowtide::residency
