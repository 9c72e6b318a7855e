#include "plugin/tensor/element_type.hpp"

namespace lowtide::tensor {

std::optional<DType> elementTypeOf(c10::ScalarType type) noexcept {
    switch (type) {
        case c10::kDouble:
            return DType::F64;
        case c10::kFloat:
            return DType::F32;
        case c10::kHalf:
            return DType::F16;
        case c10::kBFloat16:
            return DType::BF16;
        case c10::kLong:
            return DType::I64;
        case c10::kInt:
            return DType::I32;
        case c10::kByte:
            return DType::U8;
        case c10::kBool:
            return DType::Bool;
        default:
            return std::nullopt;
    }
}

}  // namespace lowtide::tensor
