#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q5_k/q5_k_block.hpp"

namespace lowtide::encodings {

Encoding q5_k() {
    return ggmlEncoding<Q5KBlock>("q5_k", "GGUF Q5_K");
}

}  // namespace lowtide::encodings
