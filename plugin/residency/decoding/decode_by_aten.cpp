#include "plugin/residency/decoding/decode_by_aten.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/encodings/block_floats.hpp"
#include "plugin/residency/decoding/gpu_units.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace lowtide::residency::decoding {

// A way of decoding for each encoding, called like it: the part's numbers, f32, contiguous. What it
// takes for a moment in addition: at most so many bytes an element (from the operators that it is
// made of), and 8 times its companions' bytes and 4 KiB, for scales as numbers and small tables.

/// At most 1 byte an element: its code.
[[nodiscard]] at::Tensor q4_0(const StoredTensors& stored);
[[nodiscard]] at::Tensor q4_1(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_0(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_1(const StoredTensors& stored);
[[nodiscard]] at::Tensor q8_0(const StoredTensors& stored);

/// 1 byte an element: its code.
[[nodiscard]] at::Tensor q2_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q3_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q4_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q6_k(const StoredTensors& stored);

/// Nothing for an element.
[[nodiscard]] at::Tensor f8_e4m3(const StoredTensors& stored);
[[nodiscard]] at::Tensor f8_e5m2(const StoredTensors& stored);
[[nodiscard]] at::Tensor int8(const StoredTensors& stored);
[[nodiscard]] at::Tensor bnb_int8(const StoredTensors& stored);
[[nodiscard]] at::Tensor mxfp8(const StoredTensors& stored);

/// 5 bytes an element: what is rotated, and the sums of four each.
[[nodiscard]] at::Tensor int8_convrot(const StoredTensors& stored);

/// 1 byte an element: its code.
[[nodiscard]] at::Tensor nvfp4(const StoredTensors& stored);

/// 4 bytes an element: an index for two of them.
[[nodiscard]] at::Tensor bnb_nf4(const StoredTensors& stored);

// Fields of stored bytes as tensors. Whole numbers are taken apart in bytes; each f32 operation is
// an operator of its own, so that no device joins a multiplication and an addition.

/// Bytes [first, first + count) of each block: uint8 [blocks, count], a view.
[[nodiscard]] at::Tensor bytesOfBlocks(const StoredTensors& stored, int64_t first, int64_t count);

/// Whole numbers or small floats as f32. Of a caller that moves, `codes` does not outlive it.
[[nodiscard]] at::Tensor numbersOf(at::Tensor codes);

/// The numbers that lie in bytes [..., n] of any alignment: f32 [..., n / sizeOf(type)].
[[nodiscard]] at::Tensor floatsIn(const at::Tensor& bytes, DType type);

/// The half at byte `index` of each block: f32 [blocks, 1].
[[nodiscard]] at::Tensor halvesOfBlocks(const StoredTensors& stored, int64_t index);

/// All numbers of a companion.
[[nodiscard]] at::Tensor floatsOfCompanion(const StoredTensors& stored, size_t companion);

/// Bits [shift, shift + width) of each byte: uint8.
[[nodiscard]] at::Tensor bitsOf(const at::Tensor& bytes, int64_t shift, int64_t width);

/// [..., n] -> uint8 [..., 8 / width, n]: the lowest `width` bits of each byte, then the next ones.
[[nodiscard]] at::Tensor planesOf(const at::Tensor& bytes, int64_t width);

/// Bytes [n] -> uint8 [n, 2]: of each the upper half, then the lower one.
[[nodiscard]] at::Tensor halvesOfBytes(const at::Tensor& bytes);

/// Multiplies numbers [n], of which the first is number `first` of a matrix, by the scales of the
/// rows that they touch, or by the one scale that there is. In place.
void multiplyRows(const at::Tensor& numbers,
                  int64_t first,
                  int64_t columns,
                  const at::Tensor& scales);

}  // namespace lowtide::residency::decoding

namespace lowtide::residency {

namespace {

struct DecodingWay {
    std::string_view encoding;
    at::Tensor (*decode)(const StoredTensors& stored);
};

constexpr DecodingWay kDecodingWays[] = {
    {"q4_0", decoding::q4_0},
    {"q4_1", decoding::q4_1},
    {"q5_0", decoding::q5_0},
    {"q5_1", decoding::q5_1},
    {"q8_0", decoding::q8_0},
    {"q2_k", decoding::q2_k},
    {"q3_k", decoding::q3_k},
    {"q4_k", decoding::q4_k},
    {"q5_k", decoding::q5_k},
    {"q6_k", decoding::q6_k},
    {"f8_e4m3", decoding::f8_e4m3},
    {"f8_e5m2", decoding::f8_e5m2},
    {"int8", decoding::int8},
    {"bnb_int8", decoding::bnb_int8},
    {"int8_convrot", decoding::int8_convrot},
    {"mxfp8", decoding::mxfp8},
    {"nvfp4", decoding::nvfp4},
    {"bnb_nf4", decoding::bnb_nf4},
};

}  // namespace

at::Tensor decodeByAten(const StoredTensors& stored) {
    const memory::Encoded& tensor = *stored.tensor;
    const auto* way = std::find_if(
        std::begin(kDecodingWays), std::end(kDecodingWays), [&](const DecodingWay& each) {
            return each.encoding == tensor.encoding;
        });
    if (way == std::end(kDecodingWays)) {
        throw Error(
            ErrorKind::Unsupported,
            message("the encoding {} is not decoded on devices", quotedName(tensor.encoding)),
            message("choose a file in another encoding"));
    }
    LOWTIDE_ASSERT(stored.blocks.numel() ==
                   stored.part.count / tensor.blockElements * tensor.blockBytes);
    LOWTIDE_ASSERT(stored.companions.size() == tensor.companions.size());
    return way->decode(stored).view({stored.part.count});
}

}  // namespace lowtide::residency

namespace lowtide::residency::decoding {

at::Tensor bytesOfBlocks(const StoredTensors& stored, int64_t first, int64_t count) {
    const Bytes size = stored.tensor->blockBytes;
    return stored.blocks.view({stored.blocks.numel() / size, size}).narrow(1, first, count);
}

at::Tensor numbersOf(at::Tensor codes) {
    at::Tensor numbers = codes.to(at::kFloat);
    codes.reset();
    return numbers;
}

at::Tensor floatsIn(const at::Tensor& bytes, DType type) {
    // A copy begins where numbers may begin, and takes as much wherever the bytes lie.
    return bytes.clone(at::MemoryFormat::Contiguous).view(scalarTypeOf(type)).to(at::kFloat);
}

at::Tensor halvesOfBlocks(const StoredTensors& stored, int64_t index) {
    return floatsIn(bytesOfBlocks(stored, index, sizeOf(DType::F16)), DType::F16);
}

at::Tensor floatsOfCompanion(const StoredTensors& stored, size_t companion) {
    return floatsIn(stored.companions[companion], stored.tensor->companions[companion].type);
}

at::Tensor bitsOf(const at::Tensor& bytes, int64_t shift, int64_t width) {
    return at::bitwise_right_shift(bytes, shift).bitwise_and_((1 << width) - 1);
}

at::Tensor planesOf(const at::Tensor& bytes, int64_t width) {
    constexpr int64_t kByteBits = 8;
    const at::Tensor shifts = at::arange(0, kByteBits, width, bytes.options()).unsqueeze(1);
    return at::bitwise_right_shift(bytes.unsqueeze(-2), shifts).bitwise_and_((1 << width) - 1);
}

at::Tensor halvesOfBytes(const at::Tensor& bytes) {
    return at::stack({bitsOf(bytes, 4, 4), bitsOf(bytes, 0, 4)}, 1);
}

void multiplyRows(const at::Tensor& numbers,
                  int64_t first,
                  int64_t columns,
                  const at::Tensor& scales) {
    if (scales.numel() == 1) {
        numbers.mul_(scales);
        return;
    }
    const int64_t end = first + numbers.numel();
    for (int64_t index = first; index < end;) {  // a row that is cut off, whole rows, another one
        const int64_t row = index / columns;
        const bool isCut = index % columns != 0 || end - index < columns;
        const int64_t rows = isCut ? 1 : (end - index) / columns;
        const int64_t count = std::min((row + rows) * columns, end) - index;
        numbers.narrow(0, index - first, count)
            .view({rows, count / rows})
            .mul_(scales.narrow(0, row - first / columns, rows).unsqueeze(1));
        index += count;
    }
}

namespace {

/// Codes of four bits in 16 bytes, first halves, then second halves: uint8 [blocks, 32].
at::Tensor fourBits(const StoredTensors& stored, int64_t index) {
    return planesOf(bytesOfBlocks(stored, index, 16), 4).flatten(1);
}

/// Those with their fifth bits, which lie in the four bytes before.
at::Tensor fiveBits(const StoredTensors& stored, int64_t index) {
    const at::Tensor fifth = planesOf(bytesOfBlocks(stored, index, 4).unsqueeze(2), 1);
    return fourBits(stored, index + 4).add_(fifth.flatten(1), 16);
}

/// Each block by the half that it begins with.
at::Tensor byScale(const StoredTensors& stored, at::Tensor numbers) {
    return numbers.mul_(halvesOfBlocks(stored, 0));
}

/// The same, and the half after it is added.
at::Tensor byScaleAndLeast(const StoredTensors& stored, at::Tensor numbers) {
    return byScale(stored, std::move(numbers)).add_(halvesOfBlocks(stored, 2));
}

}  // namespace

at::Tensor q4_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(fourBits(stored, 2)).sub_(8));
}

at::Tensor q4_1(const StoredTensors& stored) {
    return byScaleAndLeast(stored, numbersOf(fourBits(stored, 4)));
}

at::Tensor q5_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(fiveBits(stored, 2)).sub_(16));
}

at::Tensor q5_1(const StoredTensors& stored) {
    return byScaleAndLeast(stored, numbersOf(fiveBits(stored, 4)));
}

at::Tensor q8_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(bytesOfBlocks(stored, 2, 32).view(at::kChar)));
}

// Blocks of 256 numbers in runs with scales of their own. Where a field lies:
// plugin/encodings/gguf_k_blocks.hpp.

namespace {

/// The fields of `width` bits of `count` bytes, which fill chunks of `chunk` bytes plane by plane:
/// uint8 [blocks, 8 / width * count].
at::Tensor chunkedBits(
    const StoredTensors& stored, int64_t index, int64_t count, int64_t chunk, int64_t width) {
    const at::Tensor bytes = bytesOfBlocks(stored, index, count);
    return planesOf(bytes.unflatten(1, {count / chunk, chunk}), width).flatten(1);
}

/// Numbers [blocks, 256] in runs by their scales [blocks, runs].
at::Tensor byRuns(const at::Tensor& numbers, const at::Tensor& scales) {
    const int64_t runs = scales.size(1);
    return numbers.view({numbers.size(0), runs, numbers.size(1) / runs}).mul_(scales.unsqueeze(2));
}

/// The same, less their minima.
at::Tensor byRunsLess(const at::Tensor& numbers,
                      const at::Tensor& scales,
                      const at::Tensor& least) {
    return byRuns(numbers, scales).sub_(least.unsqueeze(2));
}

/// Of Q4_K and Q5_K, whose eight runs have a scale and a minimum of six bits: four bytes hold those
/// of the first four scales, four those of the minima, four the lower bits of all others, whose
/// upper ones are above the first.
at::Tensor bySixBits(const StoredTensors& stored, const at::Tensor& numbers) {
    const at::Tensor fours = bytesOfBlocks(stored, 4, 12).unflatten(1, {3, 4});
    const auto sixBits = [&](int64_t four, int64_t shift) {
        const at::Tensor bytes = fours.select(1, four);
        const at::Tensor others =
            bitsOf(fours.select(1, 2), shift, 4).add_(bitsOf(bytes, 6, 2), 16);
        return numbersOf(at::cat({bitsOf(bytes, 0, 6), others}, 1));
    };
    return byRunsLess(numbers,
                      sixBits(0, 0).mul_(halvesOfBlocks(stored, 0)),
                      sixBits(1, 4).mul_(halvesOfBlocks(stored, 2)));
}

}  // namespace

at::Tensor q2_k(const StoredTensors& stored) {
    const at::Tensor numbers = numbersOf(chunkedBits(stored, 16, 64, 32, 2));
    const at::Tensor parts = bytesOfBlocks(stored, 0, 16);
    return byRunsLess(numbers,
                      numbersOf(bitsOf(parts, 0, 4)).mul_(halvesOfBlocks(stored, 80)),
                      numbersOf(bitsOf(parts, 4, 4)).mul_(halvesOfBlocks(stored, 82)));
}

at::Tensor q3_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 32, 64, 32, 2);
    codes.add_(chunkedBits(stored, 0, 32, 32, 1), 4);
    const at::Tensor numbers = numbersOf(std::move(codes)).sub_(4);
    at::Tensor parts = chunkedBits(stored, 96, 8, 8, 4);
    parts.add_(chunkedBits(stored, 104, 4, 4, 2), 16);
    return byRuns(numbers, numbersOf(parts).sub_(32).mul_(halvesOfBlocks(stored, 108)));
}

at::Tensor q4_k(const StoredTensors& stored) {
    return bySixBits(stored, numbersOf(chunkedBits(stored, 16, 128, 32, 4)));
}

at::Tensor q5_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 48, 128, 32, 4);
    codes.add_(chunkedBits(stored, 16, 32, 32, 1), 16);
    return bySixBits(stored, numbersOf(std::move(codes)));
}

at::Tensor q6_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 0, 128, 64, 4);
    codes.add_(chunkedBits(stored, 128, 64, 32, 2), 16);
    const at::Tensor parts = bytesOfBlocks(stored, 192, 16).view(at::kChar);
    const at::Tensor numbers = numbersOf(std::move(codes)).sub_(32);
    return byRuns(numbers, numbersOf(parts).mul_(halvesOfBlocks(stored, 208)));
}

namespace {

/// The two numbers of each byte, as one element of eight bytes: int64 [256]. Filled where it lies:
/// no table crosses to the device, and none remains there.
at::Tensor pairsOfBytes(const at::TensorOptions& options) {
    constexpr auto kNumbers = encodings::normalFloats();
    constexpr int64_t kCount = std::size(kNumbers);
    at::Tensor numbers = at::empty({kCount}, options.dtype(at::kFloat));
    for (int64_t i = 0; i < kCount; ++i) {
        numbers.narrow(0, i, 1).fill_(kNumbers[i]);
    }
    const at::Tensor upper = numbers.unsqueeze(1).expand({kCount, kCount});
    const at::Tensor lower = numbers.unsqueeze(0).expand({kCount, kCount});
    return at::stack({upper, lower}, 2).view(at::kLong).flatten();
}

/// The largest magnitude of each block: f32 [blocks].
at::Tensor largestOfBlocks(const StoredTensors& stored) {
    if (stored.companions.size() == 1) {
        return floatsOfCompanion(stored, 0);
    }
    const at::Tensor bytes = stored.companions[0].to(at::kLong);
    at::Tensor largest = at::gather(floatsOfCompanion(stored, 2), 0, bytes);
    multiplyRows(largest,
                 stored.part.first / stored.tensor->blockElements,
                 encodings::kNestedBlock,
                 floatsOfCompanion(stored, 1));
    return largest.add_(stored.tensor->addedScale);
}

}  // namespace

at::Tensor bnb_nf4(const StoredTensors& stored) {
    const at::Tensor pairs = pairsOfBytes(stored.blocks.options());
    const at::Tensor numbers = at::gather(pairs, 0, stored.blocks.to(at::kLong)).view(at::kFloat);
    const at::Tensor largest = largestOfBlocks(stored);
    return numbers.view({largest.numel(), stored.tensor->blockElements}).mul_(largest.unsqueeze(1));
}

namespace {

/// ATen's conversions of these types are exact: all 256 have a number in f32.
at::Tensor scaledElements(const StoredTensors& stored, at::ScalarType type) {
    at::Tensor numbers = numbersOf(stored.blocks.view(type));
    multiplyRows(numbers, stored.part.first, stored.tensor->columns, floatsOfCompanion(stored, 0));
    return numbers;
}

/// Groups of `size` whole numbers by the regular Hadamard matrix (encodings/scaled_elements),
/// not yet divided by sqrt(size). Sums of at most size * 128 are exact in f32, in whatever order.
at::Tensor rotated(at::Tensor numbers, int64_t size) {
    constexpr int64_t kLargestExact = 1 << 16;
    LOWTIDE_ASSERT(size <= kLargestExact);
    const int64_t count = numbers.numel();
    for (int64_t step = 1; step < size; step *= 4) {
        const at::Tensor fours = numbers.view({count / (4 * step), 4, step});
        const at::Tensor sums = fours.sum(1);
        const at::Tensor turned = at::empty_like(fours);
        for (int64_t i = 0; i < 4; ++i) {
            at::Tensor index = turned.select(1, i);
            at::sub_out(index, sums, fours.select(1, 3 - i), 2);  // sum - 2 * number: exact
        }
        numbers = turned.view({count});
    }
    return numbers;
}

}  // namespace

at::Tensor f8_e4m3(const StoredTensors& stored) {
    return scaledElements(stored, at::kFloat8_e4m3fn);
}

at::Tensor f8_e5m2(const StoredTensors& stored) {
    return scaledElements(stored, at::kFloat8_e5m2);
}

at::Tensor int8(const StoredTensors& stored) {
    return scaledElements(stored, at::kChar);
}

at::Tensor bnb_int8(const StoredTensors& stored) {
    constexpr auto kPart = static_cast<float>(7.874015718698502e-3);
    return scaledElements(stored, at::kChar).mul_(kPart);
}

at::Tensor int8_convrot(const StoredTensors& stored) {
    const int64_t size = stored.tensor->blockElements;
    const float norm = 1 / std::sqrt(static_cast<float>(size));  // a power of two: exact
    const at::Tensor numbers = rotated(numbersOf(stored.blocks.view(at::kChar)), size);
    multiplyRows(numbers,
                 stored.part.first,
                 stored.tensor->columns,
                 floatsOfCompanion(stored, 0).mul_(norm));
    return numbers;
}

namespace {

using encodings::Swizzled;

/// The scale of each block of the part: uint8 [blocks].
at::Tensor tiledScales(const StoredTensors& stored) {
    constexpr int64_t kApart = 32;  // of neighbours in a tile: rows 0, 32, 64, 96, then 1, 33 ...
    const memory::Encoded& tensor = *stored.tensor;
    const Swizzled positions(tensor);
    const int64_t across = positions.blocksInRow();
    const int64_t first = stored.part.first / tensor.blockElements;
    const at::Tensor tiles = stored.companions[0].view(
        {-1, positions.tilesInRow(), kApart, Swizzled::kTileRows / kApart, Swizzled::kTileBlocks});
    const at::Tensor rows = tiles.permute({0, 3, 2, 1, 4}).flatten(0, 2).flatten(1);
    const int64_t firstRow = first / across / Swizzled::kTileRows * Swizzled::kTileRows;
    return rows.narrow(1, 0, across)
        .flatten()
        .narrow(0, first - firstRow * across, stored.part.count / tensor.blockElements);
}

/// Each block by its scale.
at::Tensor scaledBlocks(const StoredTensors& stored,
                        const at::Tensor& numbers,
                        const at::Tensor& scales) {
    return numbers.view({scales.numel(), stored.tensor->blockElements}).mul_(scales.unsqueeze(1));
}

/// Numbers of four bits, s e e m. As s 0 0 0 e e m 0 they are those of e5m2, 2^-14 times as large.
at::Tensor fourBitFloats(at::Tensor codes) {
    codes.mul_(2);
    codes.add_(at::bitwise_and(codes, 16), 7);  // 16 is the sign, 128 where it belongs
    return numbersOf(codes.view(at::kFloat8_e5m2)).mul_(0x1p14);
}

}  // namespace

at::Tensor mxfp8(const StoredTensors& stored) {
    const at::Tensor numbers = numbersOf(stored.blocks.view(at::kFloat8_e4m3fn));
    const at::Tensor powers = tiledScales(stored).to(at::kInt).bitwise_left_shift_(23);
    return scaledBlocks(stored, numbers, powers.view(at::kFloat));
}

at::Tensor nvfp4(const StoredTensors& stored) {
    const at::Tensor numbers = fourBitFloats(halvesOfBytes(stored.blocks));
    at::Tensor scales = numbersOf(tiledScales(stored).view(at::kFloat8_e4m3fn));
    return scaledBlocks(stored, numbers, scales.mul_(floatsOfCompanion(stored, 1)));
}

}  // namespace lowtide::residency::decoding

namespace lowtide::residency {

bool hasGpuDecoder(const memory::Encoded& tensor) noexcept {
    if (tensor.encoding == kRotatedEncoding) {
        return Rotated::kElements % tensor.blockElements == 0;
    }
    const bool isInUnits =
        tensor.encoding != "bnb_nf4" || tensor.blockElements % Nf4Unit::kElements == 0;
    return isInUnits && withGpuDecoder(tensor.encoding, [](const auto&) {});
}

}  // namespace lowtide::residency
