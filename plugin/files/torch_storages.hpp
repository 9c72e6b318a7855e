#pragma once

#include "plugin/base/dtype.hpp"
#include "plugin/base/units.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::files {

/// The classes of storages in torch files ("module name").
inline constexpr std::pair<std::string_view, DType> kTorchStorages[] = {
    {"torch DoubleStorage", DType::F64},
    {"torch FloatStorage", DType::F32},
    {"torch HalfStorage", DType::F16},
    {"torch BFloat16Storage", DType::BF16},
    {"torch LongStorage", DType::I64},
    {"torch IntStorage", DType::I32},
    {"torch ShortStorage", DType::I16},
    {"torch CharStorage", DType::I8},
    {"torch ByteStorage", DType::U8},
    {"torch BoolStorage", DType::Bool},
};

/// The type of such a class; nothing: there is none of that name.
[[nodiscard]] inline std::optional<DType> torchStorageType(std::string_view name) {
    for (const auto& [known, type] : kTorchStorages) {
        if (known == name) {
            return type;
        }
    }
    return std::nullopt;
}

/// The bytes of a storage, as they lie in the file.
struct StoragePlace {
    Bytes offset = 0;
    Bytes bytes = 0;
};

/// Storages by their keys.
using StoragePlaces = std::map<std::string, StoragePlace, std::less<>>;

}  // namespace lowtide::files
