#include "plugin/residency/device/held_bytes.hpp"

#include "plugin/encodings/encodings.hpp"

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

}  // namespace lowtide::residency
