#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q3_k/q3_k_block.hpp"

namespace lowtide::encodings {

Encoding q3_k() {
    return ggmlEncoding<Q3KBlock>("q3_k", "GGUF Q3_K");
}

}  // namespace lowtide::encodings
