#include "plugin/encodings/block_floats.hpp"

#include "plugin/base/message.hpp"
#include "plugin/encodings/anywhere.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/encodings/scaled_elements.hpp"
#include "plugin/encodings/small_floats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lowtide::encodings {

/// What four bits stand for, as two vectors: with wide instructions a look-up of eight is three
/// operations.
class SixteenFloats {
public:
    LOWTIDE_INLINE explicit SixteenFloats(const std::array<float, 16>& numbers) noexcept {
        std::memcpy(&lower_, numbers.data(), sizeof(lower_));
        std::memcpy(&upper_, numbers.data() + kEight, sizeof(upper_));
    }

    /// target[i] = scale * the number of codes[i], which are below 16. kCount: a multiple of 8.
    template <int kCount>
    LOWTIDE_INLINE void decode(const uint8_t* codes, float scale, float* target) const noexcept {
        for (int i = 0; i < kCount; i += kEight) {
            Bytes8 bytes;
            std::memcpy(&bytes, codes + i, sizeof(bytes));
            const auto positions = __builtin_convertvector(bytes, Ints8);
            Floats8 numbers;
            lookUp(positions, numbers);
            numbers *= scale;
            std::memcpy(target + i, &numbers, sizeof(numbers));
        }
    }

private:
    static constexpr int kEight = 8;

    typedef uint8_t Bytes8 __attribute__((vector_size(8)));
    typedef int32_t Ints8 __attribute__((vector_size(32)));
    typedef float Floats8 __attribute__((vector_size(32)));

    LOWTIDE_INLINE void lookUp(const Ints8& positions, Floats8& numbers) const noexcept {
#ifdef __clang__  // shuffles by constants alone
        for (int i = 0; i < kEight; ++i) {
            numbers[i] =
                positions[i] < kEight ? lower_[positions[i]] : upper_[positions[i] - kEight];
        }
#else
        numbers = __builtin_shuffle(lower_, upper_, positions);
#endif
    }

    Floats8 lower_;
    Floats8 upper_;
};

/// Of each byte the upper four bits, then the lower ones: codes [2 count].
template <int kCount>
LOWTIDE_INLINE void takeHalves(uint8_t* __restrict__ codes,
                               const uint8_t* __restrict__ bytes) noexcept {
    static_assert(kCount % 4 == 0);
    constexpr uint64_t kSpread = 0x0001000100010001;
    for (int i = 0; i < kCount; i += 4) {
        uint32_t four = 0;
        std::memcpy(&four, bytes + i, sizeof(four));
        // A byte in each 16 bits, then its halves apart.
        uint64_t apart = (four | uint64_t(four) << 16) & 0x0000FFFF0000FFFF;
        apart = (apart | apart << 8) & 0xFF * kSpread;
        const uint64_t eight = (apart >> 4 & 0x0F * kSpread) | (apart & 0x0F * kSpread) << 8;
        std::memcpy(codes + 2 * i, &eight, sizeof(eight));
    }
}

ByteRange Swizzled::rangeOf(int64_t firstBlock, int64_t count) const noexcept {
    const int64_t firstTile = firstBlock / blocksInRow_ / kTileRows;
    const int64_t lastTile = (firstBlock + count - 1) / blocksInRow_ / kTileRows;
    const Bytes bytes = tilesInRow_ * kTileBytes;
    return {firstTile * bytes, (lastTile + 1 - firstTile) * bytes};
}

ByteRange swizzledRange(const memory::Encoded& tensor, size_t companion, Part part) {
    const memory::Companion& whole = tensor.companions[companion];
    return companion == 0 ? Swizzled(tensor).rangeOf(part.first / tensor.blockElements,
                                                     part.count / tensor.blockElements)
                          : ByteRange{0, whole.bytes()};
}

namespace {

constexpr int kMxfp8Elements = 32;

/// Blocks of 32 numbers in e4m3, each by a power of two (OCP MX rev. 1.0, E8M0).
struct Mxfp8Loop {
    LOWTIDE_INLINE static void run(const uint8_t* values,
                                   const float* scales,
                                   int64_t blocks,
                                   float* target) noexcept {
        for (int64_t block = 0; block < blocks; ++block) {
            const int64_t first = block * kMxfp8Elements;
            for (int i = 0; i < kMxfp8Elements; ++i) {
                target[first + i] = E4M3::number(values[first + i]) * scales[block];
            }
        }
    }
};

/// The first block whose scale is no number.
template <typename IsNan>
std::optional<Message> blockScaleFault(const StoredPart& stored, const IsNan& isNan) {
    std::optional<Message> fault;
    forEachScale(stored, [&](int64_t block, uint8_t scale) {
        if (!fault && isNan(scale)) {
            const int64_t first = stored.part.first / stored.tensor->blockElements;
            fault = message("the scale of block {} is nan", first + block);
        }
    });
    return fault;
}

std::optional<Message> mxfp8Fault(const StoredPart& stored) {
    return blockScaleFault(stored, [](uint8_t scale) { return scale == E8M0::kNan; });
}

void decodeMxfp8(const StoredPart& stored, float* target) {
    const std::vector<float> scales = blockScales(stored, E8M0::number);
    runLoop<Mxfp8Loop>(reinterpret_cast<const uint8_t*>(stored.blocks),
                       scales.data(),
                       static_cast<int64_t>(scales.size()),
                       target);
}

}  // namespace

Encoding mxfp8() {
    return {.name = "mxfp8",
            .label = "MXFP8",
            .companionRange = swizzledRange,
            .fault = mxfp8Fault,
            .decode = decodeMxfp8};
}

namespace {

constexpr int kNvfp4Elements = 16;

std::array<float, 16> e2m1Numbers() noexcept {
    std::array<float, 16> numbers{};
    for (uint8_t code = 0; code < numbers.size(); ++code) {
        numbers[code] = E2M1::number(code);
    }
    return numbers;
}

/// Blocks of 16 numbers in e2m1, the first of two in the upper half of a byte.
struct Nvfp4Loop {
    LOWTIDE_INLINE static void run(const uint8_t* bytes,
                                   const float* scales,
                                   int64_t blocks,
                                   float* target) noexcept {
        const SixteenFloats numbers(e2m1Numbers());
        for (int64_t block = 0; block < blocks; ++block) {
            uint8_t codes[kNvfp4Elements];
            takeHalves<kNvfp4Elements / 2>(codes, bytes + block * kNvfp4Elements / 2);
            numbers.decode<kNvfp4Elements>(codes, scales[block], target + block * kNvfp4Elements);
        }
    }
};

/// Companion 1 has one number for the whole tensor.
float tensorScale(const StoredPart& stored) {
    return rowScales(stored, 1).front();
}

std::optional<Message> nvfp4Fault(const StoredPart& stored) {
    const float whole = tensorScale(stored);
    if (!std::isfinite(whole) || whole <= 0) {
        return message("the scale of the tensor is {}, where a positive number belongs",
                       std::to_string(whole));
    }
    return blockScaleFault(stored, [](uint8_t scale) { return !E4M3::isFinite(scale); });
}

void decodeNvfp4(const StoredPart& stored, float* target) {
    const float whole = tensorScale(stored);
    const std::vector<float> scales =
        blockScales(stored, [&](uint8_t scale) { return whole * E4M3::number(scale); });
    runLoop<Nvfp4Loop>(reinterpret_cast<const uint8_t*>(stored.blocks),
                       scales.data(),
                       static_cast<int64_t>(scales.size()),
                       target);
}

}  // namespace

Encoding nvfp4() {
    return {.name = "nvfp4",
            .label = "NVFP4",
            .companionRange = swizzledRange,
            .fault = nvfp4Fault,
            .decode = decodeNvfp4};
}

namespace {

constexpr int64_t kAtOnce = 8;

/// Blocks of numbers in four bits, the first of two in the upper half of a byte; multiples of
/// eight.
struct Nf4Loop {
    LOWTIDE_INLINE static void run(const uint8_t* bytes,
                                   const float* scales,
                                   int64_t blocks,
                                   int64_t size,
                                   float* target) noexcept {
        const SixteenFloats numbers(normalFloats());
        for (int64_t block = 0; block < blocks; ++block) {
            for (int64_t i = block * size; i < (block + 1) * size; i += kAtOnce) {
                uint8_t codes[kAtOnce];
                takeHalves<kAtOnce / 2>(codes, bytes + i / 2);
                numbers.decode<kAtOnce>(codes, scales[block], target + i);
            }
        }
    }
};

/// Companions: the largest magnitudes of blocks, in f32; or in bytes, with the largest of each 256
/// of them and the 256 numbers that bytes stand for ("double quantisation").
enum CompanionPosition : uint8_t { Largest, LargestOfLargest, NumberOfByte };

ByteRange nf4Range(const memory::Encoded& tensor, size_t companion, Part part) {
    const memory::Companion& whole = tensor.companions[companion];
    const Bytes size = sizeOf(whole.type);
    int64_t first = part.first / tensor.blockElements;
    int64_t end = first + part.count / tensor.blockElements;
    if (companion == NumberOfByte) {
        return {0, whole.bytes()};
    }
    if (companion == LargestOfLargest) {
        first = first / kNestedBlock;
        end = (end + kNestedBlock - 1) / kNestedBlock;
    }
    return {first * size, (end - first) * size};
}

float floatAt(std::span<const std::byte> bytes, int64_t index) {
    float number = 0;
    std::memcpy(
        &number, bytes.data() + index * static_cast<int64_t>(sizeof(number)), sizeof(number));
    return number;
}

/// Of each block of the part.
std::vector<float> largestOfBlocks(const StoredPart& stored) {
    const int64_t first = stored.part.first / stored.tensor->blockElements;
    std::vector<float> largest(
        static_cast<size_t>(stored.part.count / stored.tensor->blockElements));
    for (int64_t i = 0; i < static_cast<int64_t>(largest.size()); ++i) {
        float& value = largest[static_cast<size_t>(i)];
        if (stored.companions.size() == 1) {
            value = floatAt(stored.companions[Largest], i);
            continue;
        }
        const int64_t nested = (first + i) / kNestedBlock - first / kNestedBlock;
        const std::byte byte = stored.companions[Largest][static_cast<size_t>(i)];
        value = floatAt(stored.companions[NumberOfByte], std::to_integer<int64_t>(byte)) *
                    floatAt(stored.companions[LargestOfLargest], nested) +
                stored.tensor->addedScale;
    }
    return largest;
}

std::optional<Message> nf4Fault(const StoredPart& stored) {
    const std::vector<float> largest = largestOfBlocks(stored);
    const auto found = std::find_if(
        largest.begin(), largest.end(), [](float value) { return !std::isfinite(value); });
    if (found == largest.end()) {
        return std::nullopt;
    }
    const int64_t block = stored.part.first / stored.tensor->blockElements;
    return message("the largest magnitude of block {} is {}",
                   block + (found - largest.begin()),
                   std::to_string(*found));
}

void decodeNf4(const StoredPart& stored, float* target) {
    const std::vector<float> largest = largestOfBlocks(stored);
    runLoop<Nf4Loop>(reinterpret_cast<const uint8_t*>(stored.blocks),
                     largest.data(),
                     static_cast<int64_t>(largest.size()),
                     stored.tensor->blockElements,
                     target);
}

}  // namespace

Encoding bnb_nf4() {
    return {.name = "bnb_nf4",
            .label = "bitsandbytes nf4",
            .companionRange = nf4Range,
            .fault = nf4Fault,
            .decode = decodeNf4};
}

}  // namespace lowtide::encodings
