#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q4_0/q4_0_block.hpp"

namespace lowtide::encodings {

Encoding q4_0() {
    return ggmlEncoding<Q40Block>("q4_0", "GGUF Q4_0");
}

}  // namespace lowtide::encodings
