#include "plugin/residency/decoding/card_ways.hpp"

#include "plugin/residency/decoding/card_units.hpp"

namespace lowtide::residency {

bool hasCardWay(const memory::Encoded& tensor) noexcept {
    if (tensor.encoding == kRotatedEncoding) {
        return Rotated::kElements % tensor.blockElements == 0;
    }
    const bool isInUnits =
        tensor.encoding != "bnb_nf4" || tensor.blockElements % Nf4Unit::kElements == 0;
    return isInUnits && withCardWay(tensor.encoding, [](const auto&) {});
}

}  // namespace lowtide::residency
