#include "plugin/checkpoints/single_file/tensor_values.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lowtide::models {

namespace {

constexpr int64_t kMostValues = 1 << 18;
/// Scalars that lie nearer are read at once, with what is between them.
constexpr Bytes kNear = 4 * kKiB;
constexpr Bytes kLargestRead = 64 * kKiB;

template <class Bits>
Bits bitsAt(std::span<const std::byte> bytes, size_t index) {
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
std::optional<double> floatAt(std::span<const std::byte> bytes, size_t index, DType type) {
    switch (type) {
        case DType::F64:
            return std::bit_cast<double>(bitsAt<uint64_t>(bytes, index));
        case DType::F32:
            return std::bit_cast<float>(bitsAt<uint32_t>(bytes, index));
        case DType::BF16:
            return std::bit_cast<float>(uint32_t{bitsAt<uint16_t>(bytes, index)} << 16);
        case DType::F16:
            return fromHalf(bitsAt<uint16_t>(bytes, index));
        default:
            return std::nullopt;
    }
}

/// Nothing for types that are neither floats nor integers.
std::optional<double> scalarFrom(std::span<const std::byte> bytes, DType type) {
    switch (type) {
        case DType::I64:
            return static_cast<double>(bitsAt<int64_t>(bytes, 0));
        case DType::I32:
            return bitsAt<int32_t>(bytes, 0);
        case DType::I16:
            return bitsAt<int16_t>(bytes, 0);
        case DType::I8:
            return bitsAt<int8_t>(bytes, 0);
        case DType::U8:
        case DType::Bool:
            return bitsAt<uint8_t>(bytes, 0);
        default:
            return floatAt(bytes, 0, type);
    }
}

/// A scalar in the order in which it lies, with its index among those asked for.
struct ScalarLocation {
    const TensorLocation* location;
    size_t index;
};

Bytes scalarEnd(const ScalarLocation& scalar) {
    return scalar.location->offset + sizeOf(scalar.location->type);
}

std::vector<ScalarLocation> scalarLocations(const WeightMap& file,
                                            std::span<const std::string> names) {
    std::vector<ScalarLocation> locations;
    for (size_t i = 0; i < names.size(); ++i) {
        const auto found = file.tensors.find(names[i]);
        const bool isThere = found != file.tensors.end() && found->second.file == 0;
        const std::byte none[sizeof(double)]{};
        if (!isThere || found->second.encoded || elementCount(found->second.shape) != 1 ||
            !scalarFrom(none, found->second.type)) {
            throw Error(ErrorKind::Corrupt,
                        message("{}, {}: {}",
                                file.what,
                                quotedName(names[i]),
                                isThere ? message("is {} {}, not one number",
                                                  nameOf(found->second.type),
                                                  toText(found->second.shape))
                                        : message("is not there")),
                        message("get the file again"));
        }
        locations.push_back({&found->second, i});
    }
    std::sort(
        locations.begin(), locations.end(), [](const ScalarLocation& a, const ScalarLocation& b) {
            return a.location->offset < b.location->offset;
        });
    return locations;
}

}  // namespace

std::optional<std::vector<double>> readValues(const WeightMap& file, const std::string& name) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.file >= file.files.size()) {
        return std::nullopt;
    }
    const TensorLocation& location = found->second;
    const std::optional<int64_t> count = elementCount(location.shape);
    if (!count || *count < 1 || *count > kMostValues || location.encoded) {
        return std::nullopt;
    }
    std::vector<std::byte> bytes(static_cast<size_t>(*count * sizeOf(location.type)));
    files::InputFile(file.files[location.file].path).read(bytes, location.offset);
    std::vector<double> values;
    for (size_t i = 0; i < static_cast<size_t>(*count); ++i) {
        const std::optional<double> value = floatAt(bytes, i, location.type);
        if (!value) {
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values;
}

std::vector<double> readScalars(const WeightMap& file, std::span<const std::string> names) {
    std::vector<double> values(names.size());
    const std::vector<ScalarLocation> locations = scalarLocations(file, names);
    if (locations.empty()) {
        return values;
    }
    const files::InputFile input(file.files.front().path);
    std::vector<std::byte> bytes;
    for (size_t first = 0; first < locations.size();) {
        const Bytes begin = locations[first].location->offset;
        size_t last = first;
        while (last + 1 < locations.size() &&
               locations[last + 1].location->offset <= scalarEnd(locations[last]) + kNear &&
               scalarEnd(locations[last + 1]) - begin <= kLargestRead) {
            ++last;
        }
        bytes.resize(static_cast<size_t>(scalarEnd(locations[last]) - begin));
        input.read(bytes, begin);
        for (; first <= last; ++first) {
            const TensorLocation& location = *locations[first].location;
            const auto at = std::span<const std::byte>(bytes).subspan(
                static_cast<size_t>(location.offset - begin));
            const double value = scalarFrom(at, location.type).value();
            values[locations[first].index] = std::isfinite(value) ? value : std::nan("");
        }
    }
    return values;
}

}  // namespace lowtide::models
