#include "plugin/residency/device/cuda/cudnn_calls.hpp"

#include <dlfcn.h>

namespace lowtide::residency {

namespace {

constexpr size_t kOldestVersion = 91100;  // 9.11.0

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::optional<CudnnCalls> loadCudnn(const std::string& library) {
    void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    decltype(&cudnnGetVersion) version = nullptr;
    CudnnCalls calls;
    const bool isWhole = opened && find(opened, "cudnnGetVersion", version) &&
                         find(opened, "cudnnBackendCreateDescriptor", calls.create) &&
                         find(opened, "cudnnBackendDestroyDescriptor", calls.destroy) &&
                         find(opened, "cudnnBackendSetAttribute", calls.set) &&
                         find(opened, "cudnnBackendGetAttribute", calls.get) &&
                         find(opened, "cudnnBackendFinalize", calls.finalize);
    return isWhole && version() >= kOldestVersion ? std::optional(calls) : std::nullopt;
}

}  // namespace lowtide::residency
