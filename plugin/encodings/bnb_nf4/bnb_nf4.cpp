#include "plugin/encodings/encoding.hpp"
#include "plugin/encodings/normal_floats.hpp"
#include "plugin/encodings/sixteen_floats.hpp"
#include "plugin/encodings/wide.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace lowtide::encodings {

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
enum CompanionPlace : uint8_t { Largest, LargestOfLargest, NumberOfByte };

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
std::vector<float> largestOf(const StoredPart& stored) {
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

std::optional<std::string> nf4Fault(const StoredPart& stored) {
    const std::vector<float> largest = largestOf(stored);
    const auto found = std::find_if(
        largest.begin(), largest.end(), [](float value) { return !std::isfinite(value); });
    if (found == largest.end()) {
        return std::nullopt;
    }
    const int64_t block = stored.part.first / stored.tensor->blockElements;
    return "the largest magnitude of block " + std::to_string(block + (found - largest.begin())) +
           " is " + std::to_string(*found);
}

void decodeNf4(const StoredPart& stored, float* target) {
    const std::vector<float> largest = largestOf(stored);
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
