#include "plugin/encodings/small_floats.hpp"
#include "plugin/encodings/swizzled.hpp"
#include "plugin/encodings/wide.hpp"

namespace lowtide::encodings {

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

std::optional<std::string> mxfp8Fault(const StoredPart& stored) {
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

}  // namespace lowtide::encodings
