#include "plugin/encodings/scaled.hpp"

namespace lowtide::encodings {

Encoding f8_e4m3() {
    return writtenScaledEncoding<E4M3>("f8_e4m3", "fp8 e4m3, scaled");
}

}  // namespace lowtide::encodings
