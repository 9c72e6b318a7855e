#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q6_k/q6_k_block.hpp"

namespace lowtide::encodings {

Encoding q6_k() {
    return ggmlEncoding<Q6KBlock>("q6_k", "GGUF Q6_K");
}

}  // namespace lowtide::encodings
