#include "plugin/residency/scalar_type.hpp"

namespace lowtide::residency {

c10::ScalarType scalarTypeOf(DType type) noexcept {
    switch (type) {
        case DType::F64:
            return c10::ScalarType::Double;
        case DType::F32:
            return c10::ScalarType::Float;
        case DType::F16:
            return c10::ScalarType::Half;
        case DType::BF16:
            return c10::ScalarType::BFloat16;
        case DType::F8E4M3:
            return c10::ScalarType::Float8_e4m3fn;
        case DType::F8E5M2:
            return c10::ScalarType::Float8_e5m2;
        case DType::F8E8M0:
            return c10::ScalarType::Float8_e8m0fnu;
        case DType::I64:
            return c10::ScalarType::Long;
        case DType::I32:
            return c10::ScalarType::Int;
        case DType::I16:
            return c10::ScalarType::Short;
        case DType::I8:
            return c10::ScalarType::Char;
        case DType::U8:
            return c10::ScalarType::Byte;
        case DType::Bool:
            return c10::ScalarType::Bool;
    }
    return c10::ScalarType::Undefined;
}

}  // namespace lowtide::residency
