#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q5_0/q5_0_block.hpp"

namespace lowtide::encodings {

Encoding q5_0() {
    return ggmlEncoding<Q50Block>("q5_0", "GGUF Q5_0");
}

}  // namespace lowtide::encodings
