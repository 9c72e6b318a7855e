#include "plugin/encodings/scaled.hpp"

namespace lowtide::encodings {

Encoding f8_e5m2() {
    return scaledEncoding<E5M2>("f8_e5m2", "fp8 e5m2, scaled");
}

}  // namespace lowtide::encodings
