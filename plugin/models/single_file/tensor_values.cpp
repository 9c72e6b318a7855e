#include "plugin/models/single_file/tensor_values.hpp"

#include "plugin/base/shape.hpp"
#include "plugin/files/input_file.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace lowtide::models {

namespace {

constexpr int64_t kMostValues = 1 << 16;

template <class Bits>
Bits bitsAt(const std::vector<std::byte>& bytes, size_t index) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + index * sizeof bits, sizeof bits);
    return bits;
}

/// IEEE 754 binary16.
double fromHalf(uint16_t bits) {
    constexpr int kExponentBits = 0x1F;
    const int exponent = (bits >> 10) & kExponentBits;
    const int fraction = bits & 0x3FF;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == kExponentBits) {
        return std::nan("");
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(0x400 + fraction, exponent - 25));
}

/// Nothing for types that weights do not have.
std::optional<std::vector<double>> valuesOf(const std::vector<std::byte>& bytes, DType type) {
    std::vector<double> values(bytes.size() / static_cast<size_t>(sizeOf(type)));
    for (size_t i = 0; i < values.size(); ++i) {
        switch (type) {
            case DType::F64:
                values[i] = std::bit_cast<double>(bitsAt<uint64_t>(bytes, i));
                break;
            case DType::F32:
                values[i] = std::bit_cast<float>(bitsAt<uint32_t>(bytes, i));
                break;
            case DType::BF16:
                values[i] = std::bit_cast<float>(uint32_t{bitsAt<uint16_t>(bytes, i)} << 16);
                break;
            case DType::F16:
                values[i] = fromHalf(bitsAt<uint16_t>(bytes, i));
                break;
            default:
                return std::nullopt;
        }
    }
    return values;
}

}  // namespace

std::optional<std::vector<double>> readValues(const WeightMap& file, const std::string& name) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.file >= file.files.size()) {
        return std::nullopt;
    }
    const TensorPlace& place = found->second;
    const std::optional<int64_t> count = elementCount(place.shape);
    if (!count || *count < 1 || *count > kMostValues) {
        return std::nullopt;
    }
    std::vector<std::byte> bytes(static_cast<size_t>(*count * sizeOf(place.type)));
    files::InputFile(file.files[place.file].path).read(bytes, place.offset);
    return valuesOf(bytes, place.type);
}

}  // namespace lowtide::models
