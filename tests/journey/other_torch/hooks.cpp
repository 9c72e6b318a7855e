// A GPU's hooks, as libtorch_cuda.so brings them. LibTorch looks for them once.
#include <ATen/detail/CUDAHooksInterface.h>

namespace at {

struct CUDAHooks : CUDAHooksInterface {
    explicit CUDAHooks(CUDAHooksArgs) {}
};

REGISTER_CUDA_HOOKS(CUDAHooks)

}  // namespace at

extern "C" __attribute__((visibility("default"))) const char* answer() {
    const auto* hooks = dynamic_cast<const at::CUDAHooks*>(&at::detail::getCUDAHooks());
    return hooks ? "the GPU is found" : "LibTorch has looked for a GPU before";
}
