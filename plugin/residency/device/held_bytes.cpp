#include "plugin/residency/device/held_bytes.hpp"

#include "plugin/encodings/encodings.hpp"
#include "plugin/residency/element_conversion.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

namespace lowtide::residency {

HeldPart::HeldPart(const HeldBytes& held, encodings::Part part) {
    const memory::Encoded& encoded = *held.tensor;
    const encodings::Part whole{encoded.firstElement + part.first, part.count};
    for (size_t i = 0; i < held.companions.size(); ++i) {
        const encodings::ByteRange range = encodings::companionRange(encoded, i, whole);
        companions_.emplace_back(held.companions[i] + range.begin,
                                 static_cast<size_t>(range.count));
    }
    stored_ = {.tensor = &encoded,
               .part = whole,
               .blocks = held.blocks + held.bytesOf(part.first),
               .companions = companions_};
}

namespace {

constexpr int64_t kAtOnce = 2048;  ///< numbers on their way to another type, in whole blocks
constexpr int64_t kGrain = 65536;  ///< elements for which another thread is worth its start

void decodePart(const HeldBytes& held, encodings::Part part, float* target) {
    const HeldPart found(held, part);
    encodings::encodingOf(*held.tensor).decode(found.stored(), target);
}

/// Elements [first, end), which are whole blocks.
void decodeRun(const HeldBytes& held, DType type, int64_t first, int64_t end, std::byte* target) {
    if (type == DType::F32) {
        decodePart(held, {first, end - first}, reinterpret_cast<float*>(target) + first);
        return;
    }
    const int64_t block = held.tensor->blockElements;
    const int64_t step = std::max(block, kAtOnce / block * block);
    std::vector<float> numbers(static_cast<size_t>(step));
    for (; first < end; first += step) {
        const int64_t count = std::min(step, end - first);
        decodePart(held, {first, count}, numbers.data());
        convertElements(target + first * sizeOf(type),
                        type,
                        reinterpret_cast<const std::byte*>(numbers.data()),
                        DType::F32,
                        count);
    }
}

}  // namespace

void decodeOnHost(const HeldBytes& held, DType type, std::byte* target) {
    const int64_t block = held.tensor->blockElements;
    at::parallel_for(0,
                     held.elementCount / block,
                     std::max<int64_t>(1, kGrain / block),
                     [&](int64_t begin, int64_t end) {
                         decodeRun(held, type, begin * block, end * block, target);
                     });
}

}  // namespace lowtide::residency
