#include "plugin/encodings/scaled.hpp"

namespace lowtide::encodings {

Encoding int8() {
    return writtenScaledEncoding<Int8>("int8", "int8");
}

}  // namespace lowtide::encodings
