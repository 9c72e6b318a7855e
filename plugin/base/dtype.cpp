#include "plugin/base/dtype.hpp"

#include <array>

namespace lowtide {

namespace {

struct Row {
    DType type;
    std::string_view name;
    Bytes size;
    bool floating;
};

constexpr std::array<Row, 13> kRows = {{
    {DType::F64, "F64", 8, true},
    {DType::F32, "F32", 4, true},
    {DType::F16, "F16", 2, true},
    {DType::BF16, "BF16", 2, true},
    {DType::F8E4M3, "F8_E4M3", 1, true},
    {DType::F8E5M2, "F8_E5M2", 1, true},
    {DType::F8E8M0, "F8_E8M0", 1, false},
    {DType::I64, "I64", 8, false},
    {DType::I32, "I32", 4, false},
    {DType::I16, "I16", 2, false},
    {DType::I8, "I8", 1, false},
    {DType::U8, "U8", 1, false},
    {DType::Bool, "BOOL", 1, false},
}};

constexpr const Row& rowOf(DType type) {
    return kRows[static_cast<size_t>(type)];
}

}  // namespace

Bytes sizeOf(DType type) noexcept {
    return rowOf(type).size;
}

std::string_view nameOf(DType type) noexcept {
    return rowOf(type).name;
}

std::optional<DType> dtypeFromName(std::string_view name) noexcept {
    for (const Row& row : kRows) {
        if (row.name == name) {
            return row.type;
        }
    }
    return std::nullopt;
}

bool isFloating(DType type) noexcept {
    return rowOf(type).floating;
}

}  // namespace lowtide
