#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

/// A tensor of a value: row-major bytes in host memory.
struct ValueTensor {
    DType type = DType::F32;
    Shape shape;
    std::span<const std::byte> bytes;
};

/// A value taken apart, to be written to a file.
struct EncodedValue {
    std::map<std::string, ValueTensor> tensors;
    Json metadata = Json::object();     ///< everything that is no tensor
    std::shared_ptr<const void> owner;  ///< keeps the tensors' bytes
};

/// Takes values of one wire type apart and puts them together again, with the same bits. Run thread
/// only.
class ValueCodec {
public:
    virtual ~ValueCodec() = default;
    /// The wire type: "CONDITIONING", ...
    [[nodiscard]] virtual std::string_view type() const = 0;
    /// `value` is of this type and in host form.
    [[nodiscard]] virtual EncodedValue encode(const WireRef& value) const = 0;
    /// Error{Corrupt} names a tensor or a key that is missing or of a wrong kind.
    [[nodiscard]] virtual WireRef decode(const EncodedValue& value) const = 0;
};

using ValueCodecs = std::vector<std::unique_ptr<const ValueCodec>>;

}  // namespace lowtide::memory
