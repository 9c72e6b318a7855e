#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q4_1/q4_1_block.hpp"

namespace lowtide::encodings {

Encoding q4_1() {
    return ggmlEncoding<Q41Block>("q4_1", "GGUF Q4_1");
}

}  // namespace lowtide::encodings
