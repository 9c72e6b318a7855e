// Operators under the names of the module's.
#include <torch/library.h>

TORCH_LIBRARY(lowtide, library) {
    library.def("attend(Tensor q) -> Tensor");
}
