#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q5_1/q5_1_block.hpp"

namespace lowtide::encodings {

Encoding q5_1() {
    return ggmlEncoding<Q51Block>("q5_1", "GGUF Q5_1");
}

}  // namespace lowtide::encodings
