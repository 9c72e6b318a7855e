#include "tests/unit/encodings/anything.hpp"

#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

namespace lowtide::testing {

namespace {

/// Bits of a positive number near 1, or of a subnormal one.
uint32_t scaleBits(std::mt19937& random) {
    constexpr uint32_t kMantissa = 0x7FFFFF;
    const auto bits = static_cast<uint32_t>(random());
    const uint32_t exponent = bits >> 29 == 0 ? 0 : 107 + (bits >> 23) % 40;
    return exponent << 23 | std::max<uint32_t>(1, bits & kMantissa);
}

/// Random bytes, in some blocks the outermost ones; a block alone that has no number for a scale
/// gets others.
void fillBlocks(StoredTensor& stored, std::mt19937& random) {
    constexpr std::array<uint8_t, 6> kOutermost = {0x00, 0x01, 0x7F, 0x80, 0x88, 0xFF};
    const Bytes size = std::max<Bytes>(stored.tensor.blockBytes, 16);
    const auto end = static_cast<Bytes>(stored.blocks.size());
    for (Bytes first = 0; first < end; first += size) {
        do {
            const auto kind = random() % 8;
            const uint8_t same = kOutermost[random() % kOutermost.size()];
            for (Bytes i = first; i < std::min(first + size, end); ++i) {
                const auto any = static_cast<uint8_t>(random());
                const uint8_t value = kind == 0   ? same
                                      : kind == 1 ? kOutermost[any % kOutermost.size()]
                                                  : any;
                stored.blocks[static_cast<size_t>(i)] = std::byte{value};
            }
        } while (stored.tensor.companions.empty() &&
                 stored.fault(
                     {first / size * stored.tensor.blockElements, stored.tensor.blockElements}));
    }
}

void fillCompanion(StoredTensor& stored, size_t companion, std::mt19937& random) {
    std::vector<std::byte>& bytes = stored.companions[companion];
    if (stored.tensor.companions[companion].type == DType::U8) {
        for (std::byte& each : bytes) {
            do {
                each = std::byte(static_cast<uint8_t>(random()));
            } while ((each & std::byte{0x7F}) == std::byte{0x7F});  // NaN in e4m3, in e8m0
        }
        return;
    }
    const bool mayBeNegative = stored.tensor.encoding == "bnb_nf4";
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
        const uint32_t sign = mayBeNegative ? static_cast<uint32_t>(random()) & 0x80000000 : 0;
        const uint32_t bits = sign | scaleBits(random);
        std::memcpy(bytes.data() + i, &bits, sizeof(bits));
    }
}

}  // namespace

StoredTensor withAnything(const StoredCase& test) {
    StoredTensor stored(test);
    std::mt19937 random(24);
    for (size_t i = 0; i < stored.companions.size(); ++i) {
        fillCompanion(stored, i, random);
    }
    fillBlocks(stored, random);
    return stored;
}

void narrowScales(StoredTensor& stored, size_t companion, DType type) {
    memory::Companion& scales = stored.tensor.companions[companion];
    std::vector<std::byte>& bytes = stored.companions[companion];
    const at::Tensor values = at::from_blob(bytes.data(), {scales.elementCount}, at::kFloat)
                                  .clamp_min(1e-6)
                                  .to(residency::scalarTypeOf(type));
    scales.type = type;
    bytes.resize(values.nbytes());
    std::memcpy(bytes.data(), values.const_data_ptr(), bytes.size());
}

}  // namespace lowtide::testing
