// Loaded before everything else, it makes the process's LibTorch say that it is another version.
#include <string>

namespace at {

__attribute__((visibility("default"))) std::string show_config() {
    return "PyTorch built with:\n  - Build settings: BLAS_INFO=mkl, TORCH_VERSION=2.10.1, "
           "USE_MKL=ON, ";
}

}  // namespace at
