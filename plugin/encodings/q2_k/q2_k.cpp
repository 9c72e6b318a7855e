#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q2_k/q2_k_block.hpp"

namespace lowtide::encodings {

Encoding q2_k() {
    return ggmlEncoding<Q2KBlock>("q2_k", "GGUF Q2_K");
}

}  // namespace lowtide::encodings
