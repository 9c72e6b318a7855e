#include "plugin/residency/device/cuda/cudnn_calls.hpp"

#include "plugin/residency/device/loaded_library.hpp"

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

}  // namespace lowtide::residency
