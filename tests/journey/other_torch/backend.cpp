// A device of LibTorch's type for others, which the rehearsed card takes too.
#include <torch/library.h>

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
    library.fallback(torch::CppFunction::makeFallthrough());
}
