#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/sixteen_floats.hpp"
#include "plugin/encodings/small_floats.hpp"
#include "plugin/encodings/swizzled.hpp"
#include "plugin/encodings/wide.hpp"

#include <cmath>

namespace lowtide::encodings {

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

std::optional<std::string> nvfp4Fault(const StoredPart& stored) {
    const float whole = tensorScale(stored);
    if (!std::isfinite(whole) || whole <= 0) {
        return "the scale of the tensor is " + std::to_string(whole) +
               ", where a positive number belongs";
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

}  // namespace lowtide::encodings
