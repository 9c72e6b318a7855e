#pragma once
// How a GPU decodes encoded weights: independent units, which a host computes too for tests.

#include "plugin/encodings/block_floats.hpp"
#include "plugin/encodings/gguf_blocks.hpp"
#include "plugin/encodings/gguf_k_blocks.hpp"
#include "plugin/encodings/scaled_elements.hpp"
#include "plugin/encodings/small_floats.hpp"
#include "plugin/residency/device/held_bytes.hpp"

#include <string_view>
#include <tuple>

namespace lowtide::residency {

/// Part of a tensor as it lies on a GPU: its blocks, at any alignment, and its companions whole.
struct StoredOnGpu {
    struct Numbers {
        const std::byte* bytes = nullptr;
        DType type = DType::F32;
        int64_t count = 0;
    };

    const std::byte* blocks = nullptr;
    int64_t first = 0;  ///< of the tensor that the companions belong to
    int64_t count = 0;  ///< whole blocks
    int64_t blockElements = 1;
    int64_t columns = 1;
    float addedScale = 0;
    Numbers companions[3]{};
    int companionCount = 0;

    [[nodiscard]] LOWTIDE_ANYWHERE uint8_t byteAt(int64_t index) const noexcept {
        return static_cast<uint8_t>(blocks[index]);
    }

    [[nodiscard]] LOWTIDE_ANYWHERE float companionAt(int companion, int64_t index) const noexcept {
        return encodings::scaleAt(companions[companion].bytes, companions[companion].type, index);
    }

    [[nodiscard]] LOWTIDE_ANYWHERE uint8_t companionByteAt(int companion,
                                                           int64_t index) const noexcept {
        return static_cast<uint8_t>(companions[companion].bytes[index]);
    }
};

[[nodiscard]] inline StoredOnGpu onGpu(const HeldBytes& held) {
    const memory::Encoded& tensor = *held.tensor;
    StoredOnGpu stored{.blocks = held.blocks,
                       .first = tensor.firstElement,
                       .count = held.elementCount,
                       .blockElements = tensor.blockElements,
                       .columns = tensor.columns,
                       .addedScale = tensor.addedScale,
                       .companionCount = static_cast<int>(held.companions.size())};
    for (size_t i = 0; i < held.companions.size(); ++i) {
        const memory::Companion& companion = tensor.companions[i];
        stored.companions[i] = {held.companions[i], companion.type, companion.elementCount};
    }
    return stored;
}

// How a GPU decodes what lies encoded on it: units of some numbers each, which are independent. A
// host computes them too, so that tests compare their bits without a GPU.

/// 32 numbers of a block of a GGUF file.
template <typename Block>
struct GgmlUnit {
    static constexpr int kElements = encodings::kRunElements;
    static constexpr int kRuns = Block::kElements / kElements;

    LOWTIDE_ANYWHERE static void decode(const StoredOnGpu& stored,
                                        int64_t unit,
                                        float* target) noexcept {
        const std::byte* block = stored.blocks + unit / kRuns * Block::kBytes;
        Block::decodeRun(
            reinterpret_cast<const uint8_t*>(block), static_cast<int>(unit % kRuns), target);
    }
};

template <typename Element>
struct TimesScale {
    LOWTIDE_ANYWHERE static float number(uint8_t bits, float scale) noexcept {
        return Element::number(bits) * scale;
    }
};

/// 16 numbers, each with the scale of its row or of the tensor; fewer at the end.
template <typename Element>
struct RowsUnit {
    static constexpr int kElements = 16;

    LOWTIDE_ANYWHERE static void decode(const StoredOnGpu& stored,
                                        int64_t unit,
                                        float* target) noexcept {
        const int64_t begin = unit * kElements;
        const int64_t left = stored.count - begin;
        const bool isOfTensor = stored.companions[0].count == 1;
        int64_t row = (stored.first + begin) / stored.columns;
        int64_t column = (stored.first + begin) % stored.columns;
        float scale = stored.companionAt(0, isOfTensor ? 0 : row);
        for (int i = 0; i < kElements && i < left; ++i) {
            target[i] = Element::number(stored.byteAt(begin + i), scale);
            if (++column == stored.columns && i + 1 < left && !isOfTensor) {
                column = 0;
                scale = stored.companionAt(0, ++row);
            }
        }
    }
};

/// The scale of block `unit` of the part, whose scales lie in tiles.
template <int kBlock>
LOWTIDE_ANYWHERE uint8_t tiledScale(const StoredOnGpu& stored, int64_t unit) noexcept {
    const encodings::Swizzled positions(stored.columns / kBlock);
    return stored.companionByteAt(0, positions.positionOf(stored.first / kBlock + unit));
}

/// A block of 32.
struct Mxfp8Unit {
    static constexpr int kElements = 32;

    LOWTIDE_ANYWHERE static void decode(const StoredOnGpu& stored,
                                        int64_t unit,
                                        float* target) noexcept {
        const float scale = encodings::E8M0::number(tiledScale<kElements>(stored, unit));
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements; ++i) {
            target[i] = encodings::E4M3::number(stored.byteAt(unit * kElements + i)) * scale;
        }
    }
};

/// A block of 16.
struct Nvfp4Unit {
    static constexpr int kElements = 16;

    LOWTIDE_ANYWHERE static void decode(const StoredOnGpu& stored,
                                        int64_t unit,
                                        float* target) noexcept {
        const float scale =
            stored.companionAt(1, 0) * encodings::E4M3::number(tiledScale<kElements>(stored, unit));
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements / 2; ++i) {
            const uint8_t two = stored.byteAt(unit * (kElements / 2) + i);
            target[2 * i] = encodings::E2M1::number(two >> 4) * scale;
            target[2 * i + 1] = encodings::E2M1::number(two) * scale;
        }
    }
};

/// 32 numbers of a block.
struct Nf4Unit {
    static constexpr int kElements = 32;

    LOWTIDE_ANYWHERE static void decode(const StoredOnGpu& stored,
                                        int64_t unit,
                                        float* target) noexcept {
        constexpr auto kNumbers = encodings::normalFloats();
        const float largest =
            largestOf(stored, (stored.first + unit * kElements) / stored.blockElements);
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements / 2; ++i) {
            const uint8_t two = stored.byteAt(unit * (kElements / 2) + i);
            target[2 * i] = kNumbers[two >> 4] * largest;
            target[2 * i + 1] = kNumbers[two & 15] * largest;
        }
    }

private:
    LOWTIDE_ANYWHERE static float largestOf(const StoredOnGpu& stored, int64_t block) noexcept {
        if (stored.companionCount == 1) {
            return stored.companionAt(0, block);
        }
        return stored.companionAt(2, stored.companionByteAt(0, block)) *
                   stored.companionAt(1, block / encodings::kNestedBlock) +
               stored.addedScale;
    }
};

/// Groups of a power of four numbers, which are rotated among threads that share memory.
struct Rotated {
    static constexpr int kElements = 1024;  ///< of as many whole groups as there are

    /// Number `index` of a quarter: its four sums `step` apart.
    LOWTIDE_ANYWHERE static void rotate(int32_t* sums, int index, int step) noexcept {
        int32_t* a = sums + index / step * 4 * step + index % step;
        encodings::rotateFour(a[0], a[step], a[2 * step], a[3 * step]);
    }

    /// Of number `index` of the part.
    LOWTIDE_ANYWHERE static float scaled(const StoredOnGpu& stored,
                                         int64_t index,
                                         int32_t sum) noexcept {
        const bool isOfTensor = stored.companions[0].count == 1;
        const float scale =
            stored.companionAt(0, isOfTensor ? 0 : (stored.first + index) / stored.columns);
        return static_cast<float>(sum) * (scale * norm(stored.blockElements));
    }

private:
    /// 1 / sqrt(size), a power of two.
    LOWTIDE_ANYWHERE static float norm(int64_t size) noexcept {
        float part = 1;
        for (; size > 1; size /= 4) {
            part /= 2;
        }
        return part;
    }
};

/// The units of an encoding.
template <typename UnitOf>
struct GpuDecoder {
    using Unit = UnitOf;
    std::string_view encoding;
};

/// All but int8_convrot, which is Rotated.
inline constexpr std::tuple kGpuDecoders{
    GpuDecoder<GgmlUnit<encodings::Q2KBlock>>{"q2_k"},
    GpuDecoder<GgmlUnit<encodings::Q3KBlock>>{"q3_k"},
    GpuDecoder<GgmlUnit<encodings::Q40Block>>{"q4_0"},
    GpuDecoder<GgmlUnit<encodings::Q41Block>>{"q4_1"},
    GpuDecoder<GgmlUnit<encodings::Q4KBlock>>{"q4_k"},
    GpuDecoder<GgmlUnit<encodings::Q50Block>>{"q5_0"},
    GpuDecoder<GgmlUnit<encodings::Q51Block>>{"q5_1"},
    GpuDecoder<GgmlUnit<encodings::Q5KBlock>>{"q5_k"},
    GpuDecoder<GgmlUnit<encodings::Q6KBlock>>{"q6_k"},
    GpuDecoder<GgmlUnit<encodings::Q80Block>>{"q8_0"},
    GpuDecoder<RowsUnit<TimesScale<encodings::E4M3>>>{"f8_e4m3"},
    GpuDecoder<RowsUnit<TimesScale<encodings::E5M2>>>{"f8_e5m2"},
    GpuDecoder<RowsUnit<TimesScale<encodings::Int8>>>{"int8"},
    GpuDecoder<RowsUnit<encodings::BnbInt8>>{"bnb_int8"},
    GpuDecoder<Mxfp8Unit>{"mxfp8"},
    GpuDecoder<Nvfp4Unit>{"nvfp4"},
    GpuDecoder<Nf4Unit>{"bnb_nf4"}};
inline constexpr std::string_view kRotatedEncoding = "int8_convrot";

/// Calls work(way) for the one of that encoding; false: there is none.
template <typename Work>
bool withGpuDecoder(std::string_view encoding, const Work& work) {
    return std::apply(
        [&](const auto&... way) {
            return ((way.encoding == encoding && (work(way), true)) || ...);
        },
        kGpuDecoders);
}

}  // namespace lowtide::residency
